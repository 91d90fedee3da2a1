import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { openFile } from "../../../../plugins/captcha/service/store/lmdb-open.js";

it("tells a write by the fault of the disk that its commit ended with, without LMDB's numbers", async () => {
  const directory = mkdtempSync(join(tmpdir(), "gwc-writes-"));
  const { room, root } = openFile(join(directory, "claims.lmdb"), 1);
  onTestFinished(async () => {
    room.close();
    await root.close();
    rmSync(directory, { recursive: true });
  });
  const fault = Object.assign(new Error("Input/output error: buffer sizes 4096 508 -944384768"), { code: 5 });
  const failed = () => {
    const commitError = Promise.reject(fault);
    return Promise.reject(
      Object.assign(new Error("Commit failed (see commitError for details)"), { commitError }),
    );
  };
  await expect(room.write({ puts: 1 }, failed)).rejects.toThrow(/^the disk failed \(EIO\)$/);
});
