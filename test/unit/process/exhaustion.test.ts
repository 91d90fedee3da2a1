import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { exhaustionOf, writeFaultOf } from "../../../runtime/abi/error-message.js";
import { ControlMessageHandler, type Generations } from "../../../runtime/process/control-messages.js";
import type { ToControl } from "../../../runtime/process/messages.js";
import { LoadError } from "../../../runtime/proxy/host/load.js";

const failed = (code: string) => Object.assign(new Error(`${code}: it failed, open '/x'`), { code });

it("an exhausted resource is described in words, also if it is the cause of another error", () => {
  expect(exhaustionOf(failed("EMFILE"))).toBe("this process has no free file descriptors (EMFILE)");
  expect(exhaustionOf(failed("ENOSPC"))).toBe("no space left on the disk (ENOSPC)");
  expect(exhaustionOf(new LoadError("GW6007", "cannot be opened", failed("EIO")))).toBe(
    "the disk failed (EIO)",
  );
  expect(exhaustionOf(failed("ENOENT"))).toBeUndefined();
  expect(exhaustionOf("EMFILE")).toBeUndefined();
});

it("a failed write is described by the name of its system error, without the text of LMDB", () => {
  const said = (code: number) =>
    writeFaultOf(
      new Error("the store did not take it", {
        cause: Object.assign(new Error("Stale file handle: buffer sizes 4096 508 1442657712"), { code }),
      }),
    );
  expect(said(116)).toBe("the system call failed (ESTALE)");
  expect(said(5)).toBe("the disk failed (EIO)");
  expect(said(28)).toBe("no space left on the disk (ENOSPC)");
  expect(said(60_000)).toBe("the system call failed (error 60000)");
  expect(said(-30_792)).toBe("the store did not take it");
});

it("a worker without a descriptor to read a generation reports exhaustion and no code of a fault", async () => {
  const generations = { discard() {} } as Partial<Generations> as Generations;
  const serving = new ControlMessageHandler(
    generations,
    { accept: async () => {} },
    { worker: 0, pid: 1 },
    () => {},
  );
  const told = await new Promise<ToControl>((resolve) => {
    generations.prepare = () => Promise.reject(failed("EMFILE"));
    // Range of an existing file that holds a delta.
    serving.handle(prepare(), resolve);
  });
  expect(told).toMatchObject({
    type: "refused",
    exhausted: true,
    reason: "this process has no free file descriptors (EMFILE)",
  });
  expect(told).not.toHaveProperty("code");
});

function prepare() {
  const line = `${JSON.stringify({ generation: 2, base: 1, delta: { planHash: "x" } })}\n`;
  const file = join(mkdtempSync(join(tmpdir(), "gwc-exhaustion-")), "log");
  onTestFinished(() => rmSync(dirname(file), { recursive: true }));
  writeFileSync(file, line);
  return {
    type: "prepare",
    generation: 2,
    delta: { file, offset: 0, length: Buffer.byteLength(line) },
  } as const;
}
