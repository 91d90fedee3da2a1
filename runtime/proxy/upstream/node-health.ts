import type { FailureThresholds, PassiveChecks } from "../../abi/passive-checks.js";

export type NodeState = "healthy" | "ejected" | "half_open" | "slow_start";

export type NodeFailure = keyof FailureThresholds;

/** Start and end of an attempt, in ms of one clock. */
export interface AttemptTimes {
  startedAt: number;
  endedAt: number;
}

export type NodeChange =
  | { kind: "ejected"; reason: NodeFailure; failures: number; ms: number }
  /** The ejection was suppressed: it would exceed the share of nodes that may be ejected. */
  | { kind: "spared"; reason: NodeFailure; failures: number }
  | { kind: "returned"; outMs: number };

/** Share of requests that a node gets at the start of its slow start. */
const FIRST_SHARE = 0.1;
/** Timeout of a probe in ms, unless the ejection was longer, so that no request can keep a node ejected. */
const PROBE_TIMEOUT_MS = 10_000;

/**
 * State of one node: healthy; ejected after consecutive failures; half open, with one request at a time as
 * probe; slow start until healthy again. The caller passes the time.
 */
export class NodeHealth {
  /** Time of the last response. A failure of an attempt that started earlier does not count. */
  answeredAt = Number.NEGATIVE_INFINITY;
  /** True if ejected or half open, false if in slow start or healthy; `stateAt` distinguishes these by time. */
  #isEjected = false;
  /** End of the ejection, or of the slow start. */
  #until = Number.NEGATIVE_INFINITY;
  /** Start of the ejection, or of the time after it. */
  #since = Number.NEGATIVE_INFINITY;
  #slowStartMs = 0;
  #ejectionMs = 0;
  /** Number of ejections of which each doubled the duration. */
  #level = 0;
  readonly #failures: Record<NodeFailure, number> = { tcpFailures: 0, timeouts: 0, httpFailures: 0 };
  #failedAt = Number.NEGATIVE_INFINITY;
  #probeAt = Number.NEGATIVE_INFINITY;
  #trialUnderWay = false;
  #passed = 0;
  lastFailure: { error: string; at: number } | undefined = undefined;
  /** Counted failures that no metric includes yet, by kind. */
  readonly uncollected: Record<NodeFailure, number> = { tcpFailures: 0, timeouts: 0, httpFailures: 0 };

  stateAt(now: number): NodeState {
    if (this.#isEjected) return now < this.#until ? "ejected" : "half_open";
    return now < this.#until ? "slow_start" : "healthy";
  }

  /** Consecutive failures, by kind. */
  get failures(): Readonly<Record<NodeFailure, number>> {
    return this.answeredAt > this.#failedAt
      ? { ...this.#failures, tcpFailures: 0, timeouts: 0 }
      : this.#failures;
  }

  /** True if the last known result of the node is a failure. */
  get isFailing(): boolean {
    return this.lastFailure !== undefined && this.lastFailure.at > this.answeredAt;
  }

  /**
   * @param share value of the request from 0 to 1: nodes in slow start accept those below their own
   * @param patience time in ms that a node waits for another request as its probe; 0: this one will do
   */
  admits(now: number, share: number, patience: number): boolean {
    if (!this.#isEjected) return now >= this.#until || share < this.#shareAt(now);
    if (now < this.#until + patience) return false;
    return !this.#trialUnderWay || now - this.#probeAt >= Math.max(PROBE_TIMEOUT_MS, this.#ejectionMs);
  }

  /** Records that a request goes there. If all nodes are ejected, some requests come early and are no probes. */
  chosen(now: number): void {
    if (this.stateAt(now) !== "half_open") return;
    this.#probeAt = now;
    this.#trialUnderWay = true;
  }

  /** Records a response whose status does not count as a failure. */
  answered({ startedAt, endedAt }: AttemptTimes, checks: PassiveChecks): NodeChange | undefined {
    this.answeredAt = endedAt;
    this.#failures.httpFailures = 0;
    if (!this.#endsTrial(startedAt) || ++this.#passed < checks.successes) return undefined;
    const outMs = endedAt - this.#since;
    this.#forgetFailures();
    this.#isEjected = false;
    this.#since = endedAt;
    this.#slowStartMs = checks.slowStart * 1_000;
    this.#until = endedAt + this.#slowStartMs;
    return { kind: "returned", outMs };
  }

  /** @param mayEject reports whether the share of ejected nodes allows one more */
  failed(
    reason: NodeFailure,
    { startedAt, endedAt }: AttemptTimes,
    checks: PassiveChecks,
    mayEject: () => boolean,
  ): NodeChange | undefined {
    if (checks[reason] === 0) {
      this.#endsTrial(startedAt);
      return undefined;
    }
    if (this.#isEjected) {
      if (!this.#endsTrial(startedAt)) return undefined;
      this.uncollected[reason]++;
      return this.#eject(reason, 1, endedAt, checks);
    }
    if (startedAt < this.#since) return undefined;
    if (reason !== "httpFailures") {
      if (startedAt <= this.answeredAt) return undefined;
      if (this.answeredAt > this.#failedAt) this.#failures.tcpFailures = this.#failures.timeouts = 0;
      this.#failedAt = endedAt;
    }
    this.uncollected[reason]++;
    const failures = ++this.#failures[reason];
    if (failures < checks[reason]) return undefined;
    return mayEject() ? this.#eject(reason, failures, endedAt, checks) : { kind: "spared", reason, failures };
  }

  /** Records an attempt without a result for the node: the client disconnected, or something else failed. */
  abandoned(startedAt: number): void {
    this.#endsTrial(startedAt);
  }

  /** Ends the probe. Attempts that started before it do not count: the node was ejected meanwhile. */
  #endsTrial(startedAt: number): boolean {
    if (!this.#trialUnderWay || startedAt < this.#probeAt) return false;
    this.#trialUnderWay = false;
    return true;
  }

  #eject(reason: NodeFailure, failures: number, now: number, checks: PassiveChecks): NodeChange {
    const again = this.#isEjected;
    if (!again) this.#calmDown(now);
    this.#ejectionMs = Math.min(checks.ejectionTime * 2 ** this.#level, checks.maxEjectionTime) * 1_000;
    // Doubling beyond the maximum would only lengthen the recovery.
    if (this.#ejectionMs < checks.maxEjectionTime * 1_000) this.#level++;
    this.#forgetFailures();
    this.#isEjected = true;
    this.#until = now + this.#ejectionMs;
    if (!again) this.#since = now;
    return { kind: "ejected", reason, failures, ms: this.#ejectionMs };
  }

  /**
   * Halves the next ejection for each period since the node returned; the first period is as long as the last
   * ejection, each further one half as long.
   */
  #calmDown(now: number): void {
    let quiet = now - this.#since;
    for (let ms = this.#ejectionMs; this.#level > 0 && quiet >= ms; ms /= 2) {
      quiet -= ms;
      this.#level--;
    }
  }

  #forgetFailures(): void {
    this.#failures.tcpFailures = this.#failures.timeouts = this.#failures.httpFailures = 0;
    this.#trialUnderWay = false;
    this.#passed = 0;
  }

  #shareAt(now: number): number {
    return Math.max(FIRST_SHARE, (now - this.#since) / this.#slowStartMs);
  }
}
