import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProcessTimeout, starvationOf } from "../../../runtime/process/starvation.js";

const PID = process.pid + 1;

/** A process as proc(5) shows it: its CPU time grows by what `spend` is given. */
function processShown(runnable: boolean) {
  let spent = 700;
  const readings = { mainThreadMs: () => spent, wantsProcessor: () => runnable };
  return { readings, spend: (ms: number) => (spent += ms) };
}

describe("a process that owes an answer", () => {
  it("is starved while it would run and had less than a quarter of its silence on a processor", () => {
    const { readings, spend } = processShown(true);
    const isStarved = starvationOf(PID, readings);
    spend(499);
    expect(isStarved(2_000)).toBe(true);
    spend(2);
    expect(isStarved(2_000)).toBe(false);
    expect(isStarved(4_000)).toBe(true);
  });

  it("is not starved when code holds its main thread: it has a processor for itself", () => {
    const { readings, spend } = processShown(true);
    const isStarved = starvationOf(PID, readings);
    spend(2_000);
    expect(isStarved(2_000)).toBe(false);
  });

  it("is not starved when it is stopped or waits: none of its threads would run", () => {
    expect(starvationOf(PID, processShown(false).readings)(2_000)).toBe(false);
  });

  it("is not starved when it has ended, or proc(5) is not there", () => {
    const readings = { mainThreadMs: () => undefined, wantsProcessor: () => true };
    expect(starvationOf(PID, readings)(2_000)).toBe(false);
  });

  it("is not starved when it is the observer itself, which runs", () => {
    expect(starvationOf(process.pid, processShown(true).readings)(2_000)).toBe(false);
  });
});

describe("the timeout of a process", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("expires once, at its limit, for a process that is not starved", () => {
    const expired = vi.fn();
    new ProcessTimeout(2_000, () => false, expired);
    vi.advanceTimersByTime(1_999);
    expect(expired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60_000);
    expect(expired.mock.calls).toEqual([[2_000]]);
  });

  it("expires at five times its limit for a process that stays starved", () => {
    const expired = vi.fn();
    new ProcessTimeout(2_000, () => true, expired);
    vi.advanceTimersByTime(9_999);
    expect(expired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60_000);
    expect(expired.mock.calls).toEqual([[10_000]]);
  });

  it("begins again with every sign of life, and never expires once it is stopped", () => {
    const expired = vi.fn();
    const timeout = new ProcessTimeout(60_000, () => false, expired);
    timeout.restart(2_000);
    vi.advanceTimersByTime(1_999);
    timeout.restart(2_000);
    // Looks are 250 ms apart: the first after a sign of life comes sooner.
    vi.advanceTimersByTime(1_750);
    expect(expired).not.toHaveBeenCalled();
    timeout.stop();
    vi.advanceTimersByTime(60_000);
    expect(expired).not.toHaveBeenCalled();
  });
});
