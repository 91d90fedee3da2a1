import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PASSIVE_CHECKS, type PassiveChecks } from "../../runtime/abi/passive-checks.js";
import type { EndedAttempt, LiveNode } from "../../runtime/proxy/host/contract.js";
import { Upstream } from "../../runtime/proxy/upstream/balancer.js";
import type { NodeChange } from "../../runtime/proxy/upstream/node-health.js";
import { runs } from "../support/runs.js";
import { requestWith, upstreamOf } from "../unit/upstream/tables.js";

type Outcome = "answered" | "bad status" | "tcpFailures" | "timeouts" | "nothing" | "abandoned";
type Step = { wait: number } | { start: number } | { end: number; as: Outcome };

const checks: fc.Arbitrary<PassiveChecks> = fc.record({
  tcpFailures: fc.integer({ min: 0, max: 4 }),
  timeouts: fc.integer({ min: 0, max: 4 }),
  httpFailures: fc.integer({ min: 0, max: 4 }),
  httpStatuses: fc.constant([500]),
  successes: fc.integer({ min: 1, max: 3 }),
  ejectionTime: fc.integer({ min: 1, max: 10 }),
  maxEjectionTime: fc.integer({ min: 10, max: 80 }),
  maxEjectedPercent: fc.integer({ min: 0, max: 100 }),
  slowStart: fc.integer({ min: 0, max: 10 }),
});

const outcomes: Outcome[] = ["answered", "bad status", "tcpFailures", "timeouts", "nothing", "abandoned"];
const steps: fc.Arbitrary<Step[]> = fc.array(
  fc.oneof(
    fc.record({ wait: fc.integer({ min: 1, max: 30_000 }) }),
    { weight: 4, arbitrary: fc.record({ start: fc.nat(1_000) }) },
    {
      weight: 4,
      arbitrary: fc.record({ end: fc.nat(1_000), as: fc.constantFrom(...outcomes) }),
    },
  ),
  { minLength: 30, maxLength: 200 },
);

/** Requests that begin and end in any order, with invariants that hold for all outcomes. */
class Traffic {
  now = 0;
  readonly #pool: Upstream;
  readonly #checks: PassiveChecks;
  readonly #underWay: { node: LiveNode; startedAt: number }[] = [];
  readonly #trials = new Map<LiveNode, number>();

  constructor(type: "roundrobin" | "chash" | "least_conn" | "ewma", nodes: number, given: PassiveChecks) {
    this.#checks = given;
    const hosts = Object.fromEntries(Array.from({ length: nodes }, (_, i) => [`n${i}`, 1]));
    const table = upstreamOf(hosts, { type, hashKey: "remote_addr", passive: given });
    this.#pool = new Upstream(
      table,
      undefined,
      () => this.now,
      () => (this.now % 97) / 97,
    );
  }

  get states(): string[] {
    return this.#pool.nodes.map(({ health }) => health.stateAt(this.now));
  }

  take(step: Step): void {
    this.now += 1;
    if ("wait" in step) this.now += step.wait;
    else if ("start" in step) this.#start(`10.0.${step.start >> 8}.${step.start & 255}`);
    else this.#end(step.end, step.as);
    const out = this.states.filter((state) => state === "ejected" || state === "half_open").length;
    const most = Math.max(1, Math.floor((this.states.length * this.#checks.maxEjectedPercent) / 100));
    expect(out).toBeLessThanOrEqual(this.#checks.maxEjectedPercent === 0 ? 0 : most);
    expect(out).toBeLessThan(this.states.length);
  }

  #start(addr: string): void {
    const node = this.#pool.pick(requestWith({ addr }), []);
    if (node === null) throw new Error("no node for a first attempt");
    const state = node.health.stateAt(this.now);
    expect(state).not.toBe("ejected");
    if (state === "half_open") this.#beginsTrial(node);
    node.active++;
    this.#underWay.push({ node, startedAt: this.now });
  }

  #beginsTrial(node: LiveNode): void {
    const before = this.#trials.get(node);
    const running = this.#underWay.some((one) => one.node === node && one.startedAt === before);
    if (running) expect(this.now - (before ?? 0)).toBeGreaterThanOrEqual(10_000);
    this.#trials.set(node, this.now);
  }

  #end(which: number, as: Outcome): void {
    const [one] = this.#underWay.splice(which % Math.max(1, this.#underWay.length), 1);
    if (one === undefined) return;
    const { node, startedAt } = one;
    node.active--;
    const before = node.health.stateAt(this.now);
    const answeredMeanwhile = node.health.answeredAt >= startedAt;
    const attempt = { node, startedAt, ms: this.now - startedAt, status: as === "bad status" ? 500 : 200 };
    const change = this.#tell(attempt, as);
    if (change?.kind !== "ejected") return;
    expect(["tcpFailures", "timeouts", "bad status"]).toContain(as);
    expect(before).not.toBe("ejected");
    if (before !== "half_open" && as !== "bad status") expect(answeredMeanwhile).toBe(false);
    const { ejectionTime, maxEjectionTime } = this.#checks;
    expect(change.ms).toBeGreaterThanOrEqual(ejectionTime * 1_000);
    expect(change.ms).toBeLessThanOrEqual(maxEjectionTime * 1_000);
    const doublings = Math.log2(change.ms / 1_000 / ejectionTime);
    if (change.ms < maxEjectionTime * 1_000) expect(doublings).toBeCloseTo(Math.round(doublings));
  }

  #tell(attempt: EndedAttempt, as: Outcome): NodeChange | undefined {
    if (as === "answered" || as === "bad status") return this.#pool.answered(attempt);
    if (as === "tcpFailures" || as === "timeouts") return this.#pool.failed(attempt, as);
    if (as === "nothing") return this.#pool.failed(attempt, undefined);
    this.#pool.abandoned(attempt);
    return undefined;
  }

  /** Lets all requests succeed from now on. */
  recover(): void {
    for (let i = 0; i < 400; i++) {
      this.take({ start: i });
      this.take({ end: this.#underWay.length - 1, as: "answered" });
      this.now += 1_000;
    }
  }
}

describe.each(["roundrobin", "chash", "least_conn", "ewma"] as const)("nodes of %s", (type) => {
  it("nodes are ejected only for failures, never all, for limited times, with one probe at a time, and recover", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), checks, steps, (nodes, given, taken) => {
        const traffic = new Traffic(type, nodes, given);
        for (const step of taken) traffic.take(step);
        traffic.recover();
        expect(new Set(traffic.states)).toEqual(new Set(["healthy"]));
      }),
      { numRuns: runs(40) },
    );
  });

  it("nodes stay healthy when no passive health check is configured", () => {
    const never = { ...PASSIVE_CHECKS, tcpFailures: 0, timeouts: 0 };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), steps, (nodes, taken) => {
        const traffic = new Traffic(type, nodes, never);
        for (const step of taken) {
          traffic.take(step);
          expect(new Set(traffic.states)).toEqual(new Set(["healthy"]));
        }
      }),
      { numRuns: runs(20) },
    );
  });
});
