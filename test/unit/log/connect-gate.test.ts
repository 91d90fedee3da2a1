import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connectTurn } from "../../../runtime/logging/connect-gate.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
});
afterEach(async () => {
  // The process has one gate: each test leaves its queue empty.
  await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
});

/** Starts connections and returns the number and the moment of each. */
function destinations(count: number) {
  const began: { one: number; at: number }[] = [];
  const start = performance.now();
  for (let one = 0; one < count; one++)
    void connectTurn().then(() => {
      began.push({ one, at: performance.now() - start });
    });
  return began;
}

const gaps = (began: { at: number }[]) => began.slice(1).map(({ at }, i) => at - (began[i]?.at ?? 0));

describe("first connections to many destinations", () => {
  it("the first connections to 300 destinations start in order, at least 20 ms apart", async () => {
    const began = destinations(300);
    await vi.advanceTimersByTimeAsync(0);
    expect(began.length).toBe(1);
    await vi.advanceTimersByTimeAsync(300 * 20);
    expect(began.map(({ one }) => one)).toEqual(Array.from({ length: 300 }, (_, i) => i));
    expect(Math.min(...gaps(began))).toBeGreaterThanOrEqual(20);
  });

  it("the first connection to a destination starts even if earlier ones hang or fail", async () => {
    const never = connectTurn().then(() => new Promise<never>(() => {}));
    const fails = connectTurn().then(() => Promise.reject(new Error("refused")));
    const began = destinations(10);
    void never;
    await Promise.all([expect(fails).rejects.toThrow("refused"), vi.advanceTimersByTimeAsync(12 * 20)]);
    expect(began.length).toBe(10);
  });

  it("a first connection waits twice as long as the event loop is late, at most a second", async () => {
    for (const [lateMs, gapMs] of [
      [5, 20],
      [100, 200],
      [30_000, 1_000],
    ] as const) {
      const began = destinations(3);
      // The event loop is blocked, so the timer of the second connection is late.
      await vi.advanceTimersByTimeAsync(0);
      late(lateMs);
      await vi.advanceTimersByTimeAsync(20);
      expect(began.length).toBe(2);
      await vi.advanceTimersByTimeAsync(gapMs - 1);
      expect(began.length).toBe(2);
      await vi.advanceTimersByTimeAsync(1);
      expect(began.length).toBe(3);
      await vi.advanceTimersByTimeAsync(10_000);
    }
  });

  it("a first connection starts at once if no other waits, also after others", async () => {
    destinations(2);
    await vi.advanceTimersByTimeAsync(5_000);
    const began = destinations(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(began.length).toBe(1);
  });
});

/** Makes the clock show `ms` more at the next timer than when it was due. */
function late(ms: number): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementationOnce(() => now() + ms);
}
