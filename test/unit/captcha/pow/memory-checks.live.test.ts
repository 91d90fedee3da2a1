import { afterEach, describe, expect, it } from "vitest";
import { MemoryBusyError, MemoryThread } from "../../../../plugins/captcha/service/pow/memory-checks.js";

/** The thread runs a compiled file. */
const SCRIPT = new URL("../../../../.build/plugins/captcha/service/pow/memory-thread.js", import.meta.url);
const SALT = "000102030405060708090a0b0c0d0e0f";
const SIZE = { kib: 19_456, passes: 2 };
const SMALL = { kib: 64, passes: 1 };

const reports: [string, object][] = [];
let checks: MemoryThread;
const opened = (script = SCRIPT): MemoryThread => {
  reports.length = 0;
  checks = new MemoryThread((event, fields) => reports.push([event, fields]), script);
  return checks;
};
afterEach(() => checks.close());

describe("checks of memory-hard work in a thread", () => {
  it("[H43] a check in the thread returns the hash, and the event loop continues meanwhile", async () => {
    const hash = opened().hash(SALT, 3, SIZE);
    let turns = 0;
    const turn = setInterval(() => turns++, 1);
    expect(await hash).toBe("111f9ce0d458084bd2414ecd456f46f6");
    clearInterval(turn);
    expect(turns).toBeGreaterThan(5);
  });

  it("[H43] at most 32 checks wait; more are rejected at once, and the waiting ones get their hashes", async () => {
    opened();
    const asked = Array.from({ length: 40 }, (_, i) => checks.hash(SALT, i, SMALL).catch((error) => error));
    expect(checks.isBehind).toBe(true);
    const found = await Promise.all(asked);
    expect(found.slice(32).every((one) => one instanceof MemoryBusyError)).toBe(true);
    expect(new Set(found.slice(0, 32)).size).toBe(32);
    expect(found[0]).toBe("229b29bfced9eb494d1e19231254e7b3");
    expect(checks.isBehind).toBe(false);
  });

  it("[H43] a thread that ends rejects its check and is reported, and the next check starts another thread", async () => {
    const broken = opened(new URL("data:text/javascript,setTimeout(() => { throw new Error('gone') }, 50)"));
    await expect(broken.hash(SALT, 0, SMALL)).rejects.toThrow(MemoryBusyError);
    expect(reports).toEqual([["captcha_memory_thread_ended", { reason: "gone", waiting: 1 }]]);
    await expect(broken.hash(SALT, 0, SMALL)).rejects.toThrow(MemoryBusyError);
    expect(reports).toHaveLength(2);
  });

  it("a check after the end of the thread is rejected", async () => {
    await opened().close();
    await expect(checks.hash(SALT, 0, SMALL)).rejects.toThrow(MemoryBusyError);
    expect(reports).toEqual([]);
  });
});
