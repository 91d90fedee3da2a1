import { describe, expect, it } from "vitest";
import { PASSIVE_CHECKS, type PassiveChecks } from "../../../runtime/abi/passive-checks.js";
import { type NodeFailure, NodeHealth } from "../../../runtime/proxy/upstream/node-health.js";

/** One node on a clock of its own; an attempt takes no time unless it is told to. */
class Stand {
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

  /** A trial that ends so. */
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
  ] as const)("goes out after %s in a row: %i", (reason, count) => {
    const stand = new Stand();
    expect(stand.fails(reason, count - 1)).toBeUndefined();
    expect(stand.state).toBe("healthy");
    expect(stand.fails(reason)).toEqual({ kind: "ejected", reason, failures: count, ms: 10_000 });
    expect(stand.state).toBe("ejected");
  });

  it("begins to count anew with each answer", () => {
    const stand = new Stand();
    for (let i = 0; i < 10; i++) {
      stand.after(1).fails("tcpFailures", 4);
      stand.after(1).answers();
    }
    expect(stand.state).toBe("healthy");
    expect(stand.health.failures.tcpFailures).toBe(0);
  });

  it("is not blamed by requests during which it answered others: an endpoint is slow, not the node", () => {
    const stand = new Stand();
    const startedAt = stand.now;
    stand.after(30).answers();
    stand.after(30);
    for (let i = 0; i < 20; i++) expect(stand.fails("timeouts", 1, startedAt)).toBeUndefined();
    expect(stand.state).toBe("healthy");
  });

  it("goes out by requests that all ran into the limit together", () => {
    const stand = new Stand();
    const startedAt = stand.now;
    stand.after(60);
    expect(stand.fails("timeouts", 1, startedAt)).toBeUndefined();
    expect(stand.fails("timeouts", 1, startedAt)).toBeUndefined();
    expect(stand.fails("timeouts", 1, startedAt)).toMatchObject({ kind: "ejected" });
  });

  it("never goes out by what is set to 0", () => {
    const stand = new Stand({ timeouts: 0 });
    stand.fails("timeouts", 100);
    stand.fails("httpFailures", 100);
    expect(stand.state).toBe("healthy");
  });

  it("stays in while too many others are out, and goes when one of them is back", () => {
    const stand = new Stand();
    stand.mayEject = false;
    expect(stand.fails("timeouts", 3)).toMatchObject({ kind: "spared", failures: 3 });
    expect(stand.state).toBe("healthy");
    stand.mayEject = true;
    expect(stand.fails("timeouts")).toMatchObject({ kind: "ejected", failures: 4 });
  });
});

describe("a node that is out", () => {
  const out = (checks: Partial<PassiveChecks> = {}) => {
    const stand = new Stand(checks);
    stand.fails("timeouts", 3);
    return stand;
  };

  it("takes nothing until its time is over, then one request at a time", () => {
    const stand = out().after(9.9);
    expect(stand.health.admits(stand.now, 0, 0)).toBe(false);
    stand.after(0.2);
    expect(stand.state).toBe("half_open");
    expect(stand.health.admits(stand.now, 0, 0)).toBe(true);
    stand.health.chosen(stand.now);
    expect(stand.health.admits(stand.now, 0, 0)).toBe(false);
  });

  it("is out twice as long after each trial that fails, up to the longest time", () => {
    const stand = out();
    const times = [1, 2, 3, 4, 5, 6, 7].map(() => {
      const change = stand.after(301).trial("timeouts");
      return change?.kind === "ejected" ? change.ms / 1_000 : undefined;
    });
    expect(times).toEqual([20, 40, 80, 160, 300, 300, 300]);
  });

  it("comes back by a trial that is answered, and gets more from then on", () => {
    const stand = out().after(15);
    expect(stand.trial("answered")).toEqual({ kind: "returned", outMs: 15_001 });
    expect(stand.state).toBe("slow_start");
    const share = () => [0.05, 0.15, 0.45, 0.95].filter((part) => stand.health.admits(stand.now, part, 0));
    expect(share()).toEqual([0.05]);
    stand.after(5);
    expect(share()).toEqual([0.05, 0.15, 0.45]);
    stand.after(5);
    expect(share()).toEqual([0.05, 0.15, 0.45, 0.95]);
    expect(stand.state).toBe("healthy");
  });

  it("needs as many trials as are asked for", () => {
    const stand = out({ successes: 3, slowStart: 0 }).after(11);
    expect(stand.trial("answered")).toBeUndefined();
    expect(stand.trial("answered")).toBeUndefined();
    expect(stand.state).toBe("half_open");
    stand.trial("answered");
    expect(stand.state).toBe("healthy");
  });

  it("is not touched by what was under way when it went out", () => {
    const stand = new Stand();
    const startedAt = stand.now;
    stand.after(1).fails("timeouts", 3);
    stand.after(11);
    stand.health.chosen(stand.now);
    for (let i = 0; i < 50; i++) expect(stand.fails("timeouts", 1, startedAt)).toBeUndefined();
    expect(stand.answers(startedAt)).toBeUndefined();
    expect(stand.state).toBe("half_open");
    expect(stand.answers()).toMatchObject({ kind: "returned" });
    for (let i = 0; i < 50; i++) expect(stand.fails("timeouts", 1, startedAt)).toBeUndefined();
    expect(stand.state).toBe("slow_start");
  });

  it("gives the next request a trial when a client leaves its own", () => {
    const stand = out().after(11);
    stand.health.chosen(stand.now);
    stand.health.abandoned(stand.now);
    expect(stand.state).toBe("half_open");
    expect(stand.health.admits(stand.now, 0, 0)).toBe(true);
  });

  it("is not kept out by a trial that never ends", () => {
    const stand = out().after(11);
    stand.health.chosen(stand.now);
    expect(stand.after(9).health.admits(stand.now, 0, 0)).toBe(false);
    expect(stand.after(2).health.admits(stand.now, 0, 0)).toBe(true);
  });

  it("is out longer each time while it flaps, and as long as at first after a calm time", () => {
    const stand = out({ slowStart: 0 });
    const flap = () => {
      stand.trial("answered");
      const change = stand.after(1).fails("timeouts", 3);
      return change?.kind === "ejected" ? change.ms / 1_000 : undefined;
    };
    expect([stand.after(11), flap()][1]).toBe(20);
    expect([stand.after(21), flap()][1]).toBe(40);
    stand.after(41).trial("answered");
    stand.after(100);
    expect(stand.fails("timeouts", 3)).toMatchObject({ ms: 10_000 });
  });
});
