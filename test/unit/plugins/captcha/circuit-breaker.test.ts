import { describe, expect, it } from "vitest";
import { CircuitBreaker } from "../../../../plugins/captcha/runtime/circuit-breaker.js";

/** A circuit breaker and its clock. */
function breaker() {
  const clock = { now: 1_000 };
  const made = new CircuitBreaker(() => clock.now);
  const fail = (times: number, apart = 0) => {
    let opened = false;
    for (let i = 0; i < times; i++) {
      clock.now += apart;
      opened = made.failed();
    }
    return opened;
  };
  return { made, clock, fail };
}

describe("the circuit breaker", () => {
  it("the circuit breaker opens at the fifth failure within ten seconds", () => {
    const { made, fail } = breaker();
    expect(fail(4, 2_000)).toBe(false);
    expect(made.ask()).toBe("closed");
    expect(fail(1, 1_999)).toBe(true);
    expect(made.isOpen).toBe(true);
    expect(made.ask()).toBe("open");
  });

  it("the circuit breaker does not count failures that are too old or followed by a verdict", () => {
    const { made, fail } = breaker();
    expect(fail(20, 2_500)).toBe(false);
    expect(fail(1)).toBe(true);
    const other = breaker();
    other.fail(4);
    expect(other.made.succeeded()).toBe(false);
    expect(other.fail(4)).toBe(false);
    expect(made.isOpen).toBe(true);
  });

  it("the circuit breaker allows one probe after ten seconds, and stays open as long again if it fails", () => {
    const { made, clock, fail } = breaker();
    fail(5);
    clock.now += 9_999;
    expect(made.ask()).toBe("open");
    clock.now += 1;
    expect([made.ask(), made.ask(), made.ask()]).toEqual(["probe", "open", "open"]);
    expect(made.failed()).toBe(false);
    expect(made.ask()).toBe("open");
    clock.now += 10_000;
    expect(made.ask()).toBe("probe");
  });

  it("the circuit breaker closes when the probe succeeds, and then needs five failures again", () => {
    const { made, clock, fail } = breaker();
    fail(5);
    clock.now += 10_000;
    expect(made.ask()).toBe("probe");
    expect(made.succeeded()).toBe(true);
    expect(made.ask()).toBe("closed");
    expect(fail(4)).toBe(false);
    expect(fail(1)).toBe(true);
  });
});
