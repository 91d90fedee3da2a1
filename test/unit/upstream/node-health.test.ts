import { describe, expect, it } from "vitest";
import { PASSIVE_CHECKS, type PassiveChecks } from "../../../runtime/abi/passive-checks.js";
import { type NodeFailure, NodeHealth } from "../../../runtime/proxy/upstream/node-health.js";

/** One node on a simulated clock; an attempt takes no time unless a test gives `startedAt`. */
class Harness {
  readonly health = new NodeHealth();
  readonly checks: PassiveChecks;
  now = 1_000;
  mayEject = true;

  constructor(checks: Partial<PassiveChecks> = {}) {
    this.checks = { ...PASSIVE_CHECKS, ...checks };
  }

  get state() {
    return this.health.stateAt(this.now);
  }

  after(seconds: number): this {
    this.now += seconds * 1_000;
    return this;
  }

  answers(startedAt = this.now) {
    return this.health.answered({ startedAt, endedAt: this.now }, this.checks);
  }

  fails(reason: NodeFailure, times = 1, startedAt?: number) {
    for (let i = 1; i < times; i++) this.fails(reason, 1, startedAt);
    const change = this.health.failed(
      reason,
      { startedAt: startedAt ?? this.now, endedAt: this.now },
      this.checks,
      () => this.mayEject,
    );
    this.now += 1;
    return change;
  }

  /** Sends one probe with this outcome. */
  trial(outcome: "answered" | NodeFailure) {
    expect(this.health.admits(this.now, 0, 0)).toBe(true);
    this.health.chosen(this.now);
    return outcome === "answered" ? this.answers() : this.fails(outcome);
  }
}

describe("a healthy node", () => {
  it.each([
    ["tcpFailures", 5],
    ["timeouts", 3],
  ] as const)("a healthy node is ejected after %s in a row: %i", (reason, count) => {
    const harness = new Harness();
    expect(harness.fails(reason, count - 1)).toBeUndefined();
    expect(harness.state).toBe("healthy");
    expect(harness.fails(reason)).toEqual({ kind: "ejected", reason, failures: count, ms: 10_000 });
    expect(harness.state).toBe("ejected");
  });

  it("a healthy node resets its count of failures with each response", () => {
    const harness = new Harness();
    for (let i = 0; i < 10; i++) {
      harness.after(1).fails("tcpFailures", 4);
      harness.after(1).answers();
    }
    expect(harness.state).toBe("healthy");
    expect(harness.health.failures.tcpFailures).toBe(0);
  });

  it("a node stays healthy when only requests time out during which it responded to others", () => {
    const harness = new Harness();
    const startedAt = harness.now;
    harness.after(30).answers();
    harness.after(30);
    for (let i = 0; i < 20; i++) expect(harness.fails("timeouts", 1, startedAt)).toBeUndefined();
    expect(harness.state).toBe("healthy");
  });

  it("a healthy node is ejected when three requests time out together", () => {
    const harness = new Harness();
    const startedAt = harness.now;
    harness.after(60);
    expect(harness.fails("timeouts", 1, startedAt)).toBeUndefined();
    expect(harness.fails("timeouts", 1, startedAt)).toBeUndefined();
    expect(harness.fails("timeouts", 1, startedAt)).toMatchObject({ kind: "ejected" });
  });

  it("a healthy node is never ejected for failures whose limit is 0", () => {
    const harness = new Harness({ timeouts: 0 });
    harness.fails("timeouts", 100);
    harness.fails("httpFailures", 100);
    expect(harness.state).toBe("healthy");
  });

  it("a healthy node stays while too many others are ejected, and its next failure after that ejects it", () => {
    const harness = new Harness();
    harness.mayEject = false;
    expect(harness.fails("timeouts", 3)).toMatchObject({ kind: "spared", failures: 3 });
    expect(harness.state).toBe("healthy");
    harness.mayEject = true;
    expect(harness.fails("timeouts")).toMatchObject({ kind: "ejected", failures: 4 });
  });
});

describe("an ejected node", () => {
  const out = (checks: Partial<PassiveChecks> = {}) => {
    const harness = new Harness(checks);
    harness.fails("timeouts", 3);
    return harness;
  };

  it("an ejected node takes no request for 10 s, then one at a time", () => {
    const harness = out().after(9.9);
    expect(harness.health.admits(harness.now, 0, 0)).toBe(false);
    harness.after(0.2);
    expect(harness.state).toBe("half_open");
    expect(harness.health.admits(harness.now, 0, 0)).toBe(true);
    harness.health.chosen(harness.now);
    expect(harness.health.admits(harness.now, 0, 0)).toBe(false);
  });

  it("an ejected node stays out twice as long after each failed probe, up to 300 s", () => {
    const harness = out();
    const times = [1, 2, 3, 4, 5, 6, 7].map(() => {
      const change = harness.after(301).trial("timeouts");
      return change?.kind === "ejected" ? change.ms / 1_000 : undefined;
    });
    expect(times).toEqual([20, 40, 80, 160, 300, 300, 300]);
  });

  it("an ejected node returns after a successful probe and takes a growing share of requests", () => {
    const harness = out().after(15);
    expect(harness.trial("answered")).toEqual({ kind: "returned", outMs: 15_001 });
    expect(harness.state).toBe("slow_start");
    const share = () =>
      [0.05, 0.15, 0.45, 0.95].filter((part) => harness.health.admits(harness.now, part, 0));
    expect(share()).toEqual([0.05]);
    harness.after(5);
    expect(share()).toEqual([0.05, 0.15, 0.45]);
    harness.after(5);
    expect(share()).toEqual([0.05, 0.15, 0.45, 0.95]);
    expect(harness.state).toBe("healthy");
  });

  it("an ejected node needs as many successful probes as configured", () => {
    const harness = out({ successes: 3, slowStart: 0 }).after(11);
    expect(harness.trial("answered")).toBeUndefined();
    expect(harness.trial("answered")).toBeUndefined();
    expect(harness.state).toBe("half_open");
    harness.trial("answered");
    expect(harness.state).toBe("healthy");
  });

  it("an ejected node ignores the outcome of attempts that began before its ejection", () => {
    const harness = new Harness();
    const startedAt = harness.now;
    harness.after(1).fails("timeouts", 3);
    harness.after(11);
    harness.health.chosen(harness.now);
    for (let i = 0; i < 50; i++) expect(harness.fails("timeouts", 1, startedAt)).toBeUndefined();
    expect(harness.answers(startedAt)).toBeUndefined();
    expect(harness.state).toBe("half_open");
    expect(harness.answers()).toMatchObject({ kind: "returned" });
    for (let i = 0; i < 50; i++) expect(harness.fails("timeouts", 1, startedAt)).toBeUndefined();
    expect(harness.state).toBe("slow_start");
  });

  it("an ejected node takes another probe when the client of a probe leaves", () => {
    const harness = out().after(11);
    harness.health.chosen(harness.now);
    harness.health.abandoned(harness.now);
    expect(harness.state).toBe("half_open");
    expect(harness.health.admits(harness.now, 0, 0)).toBe(true);
  });

  it("an ejected node takes another probe when one does not end within 10 s", () => {
    const harness = out().after(11);
    harness.health.chosen(harness.now);
    expect(harness.after(9).health.admits(harness.now, 0, 0)).toBe(false);
    expect(harness.after(2).health.admits(harness.now, 0, 0)).toBe(true);
  });

  it("each ejection of a flapping node doubles the last duration, and a calm time resets it to 10 s", () => {
    const harness = out({ slowStart: 0 });
    const flap = () => {
      harness.trial("answered");
      const change = harness.after(1).fails("timeouts", 3);
      return change?.kind === "ejected" ? change.ms / 1_000 : undefined;
    };
    expect([harness.after(11), flap()][1]).toBe(20);
    expect([harness.after(21), flap()][1]).toBe(40);
    harness.after(41).trial("answered");
    harness.after(100);
    expect(harness.fails("timeouts", 3)).toMatchObject({ ms: 10_000 });
  });
});
