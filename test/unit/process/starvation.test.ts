import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { ProcessTimeout, starvationOf } from "../../../runtime/process/starvation.js";

const PID = process.pid + 1;

/** Process as proc(5) shows it: its CPU time grows by the argument of `spend`. */
function processShown(runnable: boolean) {
  let spent = 700;
  const readings = { mainThreadMs: () => spent, wantsProcessor: () => runnable };
  return { readings, spend: (ms: number) => (spent += ms) };
}

describe("a process that owes a reply", () => {
  it("a runnable process is starved if it had less than a quarter of its silence on a CPU", () => {
    const { readings, spend } = processShown(true);
    const isStarved = starvationOf(PID, readings);
    spend(499);
    expect(isStarved(2_000)).toBe(true);
    spend(2);
    expect(isStarved(2_000)).toBe(false);
    expect(isStarved(4_000)).toBe(true);
  });

  it("a process whose code blocks its main thread is not starved", () => {
    const { readings, spend } = processShown(true);
    const isStarved = starvationOf(PID, readings);
    spend(2_000);
    expect(isStarved(2_000)).toBe(false);
  });

  it("a process that is stopped or waits is not starved", () => {
    expect(starvationOf(PID, processShown(false).readings)(2_000)).toBe(false);
  });

  it("a process that has ended or is not in proc(5) is not starved", () => {
    const readings = { mainThreadMs: () => undefined, wantsProcessor: () => true };
    expect(starvationOf(PID, readings)(2_000)).toBe(false);
  });

  it("the observing process itself is not starved", () => {
    expect(starvationOf(process.pid, processShown(true).readings)(2_000)).toBe(false);
  });
});

describe("the timeout of a process", () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it("the timeout of a process that is not starved expires once, at its limit", () => {
    const expired = vi.fn();
    new ProcessTimeout(2_000, () => false, expired);
    vi.advanceTimersByTime(1_999);
    expect(expired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60_000);
    expect(expired.mock.calls).toEqual([[2_000]]);
  });

  it("the timeout of a starved process expires at five times its limit", () => {
    const expired = vi.fn();
    new ProcessTimeout(2_000, () => true, expired);
    vi.advanceTimersByTime(9_999);
    expect(expired).not.toHaveBeenCalled();
    vi.advanceTimersByTime(60_000);
    expect(expired.mock.calls).toEqual([[10_000]]);
  });

  it("the timeout of a process restarts with every liveness signal and never expires after its stop", () => {
    const expired = vi.fn();
    const timeout = new ProcessTimeout(60_000, () => false, expired);
    timeout.restart(2_000);
    vi.advanceTimersByTime(1_999);
    timeout.restart(2_000);
    // Polls are 250 ms apart: the first after a liveness signal comes sooner.
    vi.advanceTimersByTime(1_750);
    expect(expired).not.toHaveBeenCalled();
    timeout.stop();
    vi.advanceTimersByTime(60_000);
    expect(expired).not.toHaveBeenCalled();
  });
});
