import { spawn } from "node:child_process";
import { once } from "node:events";
import { openSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const LOG = fileURLToPath(new URL("../../../.build/runtime/process/log.js", import.meta.url));

/** Writes 20 MB of log, yielding the event loop 200 times, then prints the number of queued bytes. */
const WRITER = `
import { log } from ${JSON.stringify(LOG)};
for (let turn = 0; turn < 200; turn += 1) {
  for (let n = 0; n < 100; n += 1) log("line", { text: "x".repeat(1000) });
  await new Promise((resolve) => setImmediate(resolve));
}
process.stdout.write(String(process.stderr.writableLength));
await new Promise((resolve) => process.stdin.once("data", resolve));
log("last");
const end = () =>
  process.stderr.writableLength === 0 || process.stderr.destroyed ? process.exit(0) : setTimeout(end, 10);
end();
`;

function writer(stderr: "pipe" | number) {
  return spawn(process.execPath, ["--input-type=module", "--eval", WRITER], {
    stdio: ["pipe", "pipe", stderr],
  });
}

describe("the log", () => {
  it("the log queues at most 1.5 MB for a stopped reader and reports the number of lost lines", async () => {
    const child = writer("pipe");
    child.stderr?.pause();
    const [waiting] = await once(child.stdout as NodeJS.ReadableStream, "data");
    expect(Number(waiting)).toBeGreaterThan(100_000);
    expect(Number(waiting)).toBeLessThan(1_500_000);
    let text = "";
    child.stderr?.on("data", (data: Buffer) => (text += data));
    child.stderr?.resume();
    await expect.poll(() => text.length).toBeGreaterThan(1_000_000);
    child.stdin?.write("go");
    const [code] = await once(child, "close");
    expect(code).toBe(0);
    const last = JSON.parse(text.trim().split("\n").at(-1) ?? "") as Record<string, unknown>;
    expect(last).toMatchObject({ event: "last" });
    expect(last["lines_lost_before"]).toBeGreaterThan(15_000);
  });

  it("a process with a full disk below its log continues and ends with 0", async () => {
    const child = writer(openSync("/dev/full", "w"));
    await once(child.stdout as NodeJS.ReadableStream, "data");
    child.stdin?.write("go");
    expect((await once(child, "close"))[0]).toBe(0);
  });
});
