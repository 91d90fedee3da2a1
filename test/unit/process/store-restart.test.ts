import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { StoreRestart } from "../../../runtime/process/store-restart.js";

const happened: string[] = [];
const logged: Record<string, unknown>[] = [];

beforeEach(() => {
  happened.length = 0;
  logged.length = 0;
  vi.useFakeTimers({ now: 0 });
  vi.spyOn(process.stderr, "write").mockImplementation(
    (text) => logged.push(JSON.parse(String(text)) as Record<string, unknown>) > 0,
  );
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Process that begins now. */
function begin(isRepeated: boolean): StoreRestart {
  const began = performance.now();
  vi.spyOn(performance, "now").mockImplementation(() => Date.now() - began);
  return new StoreRestart({
    reason: "control starts again",
    isRepeated,
    tell: () => happened.push("told"),
    end: () => happened.push("ended"),
  });
}

it("a process whose store fails in a client's write ends once, after the reply", async () => {
  const restart = begin(false);
  restart.ready();
  for (let times = 0; times < 3; times += 1) restart.failed(true);
  expect(happened).toEqual(["told"]);
  await vi.advanceTimersByTimeAsync(200);
  expect(happened).toEqual(["told", "ended"]);
  expect(logged).toEqual([
    expect.objectContaining({ event: "store_failed", reason: "control starts again" }),
  ]);
  expect(logged[0]).not.toHaveProperty("restart_in_ms");
});

it("a failed write at the start or without a client ends no process, but the next process knows of it", async () => {
  const restart = begin(false);
  restart.failed(true);
  restart.ready();
  restart.failed(false);
  await vi.advanceTimersByTimeAsync(600_000);
  expect(happened).toEqual(["told"]);
  expect(logged).toEqual([]);
  restart.failed(true);
  await vi.advanceTimersByTimeAsync(200);
  expect(happened).toEqual(["told", "ended"]);
});

it.each([
  ["30 s after it is ready", 1_000, 30_000],
  ["ten times as long after it is ready as its start took", 60_000, 600_000],
])(
  "a process after one with a failed store ends for another failure no earlier than %s",
  async (_, startMs, ms) => {
    const restart = begin(true);
    await vi.advanceTimersByTimeAsync(startMs);
    restart.ready();
    await vi.advanceTimersByTimeAsync(1_000);
    restart.failed(true);
    restart.failed(true);
    expect(logged).toEqual([expect.objectContaining({ event: "store_failed", restart_in_ms: ms - 1_000 })]);
    await vi.advanceTimersByTimeAsync(ms - 1_000);
    expect(happened).toEqual(["told"]);
    await vi.advanceTimersByTimeAsync(200);
    expect(happened).toEqual(["told", "ended"]);
  },
);

it("a process after one with a failed store ends at once after it has served for a day", async () => {
  const restart = begin(true);
  restart.ready();
  await vi.advanceTimersByTimeAsync(86_400_000);
  restart.failed(true);
  await vi.advanceTimersByTimeAsync(200);
  expect(happened).toEqual(["told", "ended"]);
});
