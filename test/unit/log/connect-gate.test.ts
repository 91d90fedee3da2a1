import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { connectTurn } from "../../../runtime/logging/connect-gate.js";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "performance"] });
});
afterEach(async () => {
  // The gate is one for the process: each test leaves it with nobody waiting.
  await vi.advanceTimersByTimeAsync(10_000);
  vi.useRealTimers();
});

/** Destinations that begin at once; `began` gets the number and the moment of each. */
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

describe("first connections of 300 destinations", () => {
  it("begin one after the other, 20 ms apart at least, in order, and all of them", async () => {
    const began = destinations(300);
    await vi.advanceTimersByTimeAsync(0);
    expect(began.length).toBe(1);
    await vi.advanceTimersByTimeAsync(300 * 20);
    expect(began.map(({ one }) => one)).toEqual(Array.from({ length: 300 }, (_, i) => i));
    expect(Math.min(...gaps(began))).toBeGreaterThanOrEqual(20);
  });

  it("wait for no other: one that hangs for ever, or fails, keeps nobody", async () => {
    const never = connectTurn().then(() => new Promise<never>(() => {}));
    const fails = connectTurn().then(() => Promise.reject(new Error("refused")));
    const began = destinations(10);
    void never;
    await Promise.all([expect(fails).rejects.toThrow("refused"), vi.advanceTimersByTimeAsync(12 * 20)]);
    expect(began.length).toBe(10);
  });

  it("leave a busy process twice the time that it was late, and a second at most", async () => {
    for (const [lateMs, gapMs] of [
      [5, 20],
      [100, 200],
      [30_000, 1_000],
    ] as const) {
      const began = destinations(3);
      // Somebody keeps the event loop: the timer of the second is as late.
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

  it("begin at once where nobody else does, also after others", async () => {
    destinations(2);
    await vi.advanceTimersByTimeAsync(5_000);
    const began = destinations(1);
    await vi.advanceTimersByTimeAsync(0);
    expect(began.length).toBe(1);
  });
});

/** The clock shows that much more at the next timer than when it was due. */
function late(ms: number): void {
  const now = performance.now.bind(performance);
  vi.spyOn(performance, "now").mockImplementationOnce(() => now() + ms);
}
