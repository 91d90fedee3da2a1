import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { type OpenFile, openFile } from "../../../../plugins/captcha/service/store/lmdb-open.js";
import { captchaWriteFault } from "../../../../plugins/captcha/service/store/lmdb-writes.js";

it("a failed write reports the disk fault of its commit, without LMDB's numbers", async () => {
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

it("after EIO the store hands no further write to LMDB and reports each failure", async () => {
  const told: boolean[] = [];
  const fault = captchaWriteFault((isAsked) => told.push(isAsked));
  const directory = mkdtempSync(join(tmpdir(), "gwc-writes-"));
  const [claims, states] = ["claims.lmdb", "sessions.lmdb"].map((file) =>
    openFile(join(directory, file), 1, fault),
  ) as [OpenFile, OpenFile];
  onTestFinished(async () => {
    for (const { room, root } of [claims, states]) {
      room.close();
      await root.close();
    }
    rmSync(directory, { recursive: true });
  });
  const handed: string[] = [];
  const work = (code: unknown) => async () => {
    handed.push(String(code));
    if (code !== undefined) throw Object.assign(new Error("not taken"), { code });
  };
  await expect(claims.room.write({ puts: 1 }, work("ENOSPC"))).rejects.toThrow();
  await expect(claims.room.write({ puts: 1 }, work(-30_792))).rejects.toThrow();
  expect(told).toEqual([]);
  await expect(states.room.write({ removals: 1, isBackground: true }, work(5))).rejects.toThrow(
    "the disk failed (EIO)",
  );
  const reason = "the store takes no write until the captcha has started again: the disk failed (EIO)";
  await expect(claims.room.write({ removals: 1, isBackground: true }, work(undefined))).rejects.toThrow(
    reason,
  );
  await expect(claims.room.write({ puts: 1 }, work(undefined))).rejects.toThrow(reason);
  expect(handed).toEqual(["ENOSPC", "-30792", "5"]);
  expect(told).toEqual([false, false, true]);
});
