import type { FailureThresholds, PassiveChecks } from "../../abi/passive-checks.js";

export type NodeState = "healthy" | "ejected" | "half_open" | "slow_start";

/** What a failed attempt says about its node. */
export type NodeFailure = keyof FailureThresholds;

/** When an attempt began and when it was over, in milliseconds of one clock. */
export interface AttemptTimes {
  startedAt: number;
  endedAt: number;
}

/** What an operator hears of. */
export type NodeChange =
  | { kind: "ejected"; reason: NodeFailure; failures: number; ms: number }
  /** The share of nodes that may be out would be exceeded. */
  | { kind: "spared"; reason: NodeFailure; failures: number }
  | { kind: "returned"; outMs: number };

/** Part of the requests that a node gets at the beginning of its slow start. */
const FIRST_SHARE = 0.1;
/** A trial is no longer waited for after this time or that of the ejection, so that no request can keep a node out. */
const TRIAL_LEASE_MS = 10_000;

/**
 * What is known about one node: healthy until a threshold of failures in a row; ejected for a time; half open, when one request
 * at a time is its trial; then its share grows (slow start) until it is healthy again. Time is always given. Whatever finds out
 * about a node feeds the same machine: attempts do, and a check with requests of its own would.
 */
export class NodeHealth {
  /** When the node answered last. A failure of an attempt that began before says nothing: the node was alive meanwhile. */
  answeredAt = Number.NEGATIVE_INFINITY;
  /** What `stateAt` tells apart by time: ejected or half open, and slow start or healthy. */
  #out = false;
  /** End of the ejection, or of the slow start. */
  #until = Number.NEGATIVE_INFINITY;
  /** Since when it is out, or has been back. */
  #since = Number.NEGATIVE_INFINITY;
  #slowStartMs = 0;
  #ejectionMs = 0;
  /** Ejections of which each is twice as long as the one before. */
  #level = 0;
  readonly #failures: Record<NodeFailure, number> = { tcpFailures: 0, timeouts: 0, httpFailures: 0 };
  #failedAt = Number.NEGATIVE_INFINITY;
  /** When the trial that is waited for began. */
  #trialAt = Number.NEGATIVE_INFINITY;
  #trialUnderWay = false;
  #passed = 0;
  /** The last attempt that failed through the node: what it failed of, and when. */
  lastFailure: { error: string; at: number } | undefined = undefined;
  /** Failures that counted since the start, by kind. */
  readonly counted: Record<NodeFailure, number> = { tcpFailures: 0, timeouts: 0, httpFailures: 0 };

  stateAt(now: number): NodeState {
    if (this.#out) return now < this.#until ? "ejected" : "half_open";
    return now < this.#until ? "slow_start" : "healthy";
  }

  /** Failures in a row, by kind. */
  get failures(): Readonly<Record<NodeFailure, number>> {
    return this.answeredAt > this.#failedAt
      ? { ...this.#failures, tcpFailures: 0, timeouts: 0 }
      : this.#failures;
  }

  /** Whether the last that is known of the node is a failure. */
  get isFailing(): boolean {
    return this.lastFailure !== undefined && this.lastFailure.at > this.answeredAt;
  }

  /** Milliseconds until the next trial. */
  remainingAt(now: number): number {
    return this.#out ? Math.max(0, this.#until - now) : 0;
  }

  /**
   * Whether a request may go there now. @param share of the request, from 0 to 1: nodes in slow start take those below theirs
   * @param patience milliseconds that a node waits for another request as its trial; 0: this one will do
   */
  admits(now: number, share: number, patience: number): boolean {
    if (!this.#out) return now >= this.#until || share < this.#shareAt(now);
    if (now < this.#until + patience) return false;
    return !this.#trialUnderWay || now - this.#trialAt >= Math.max(TRIAL_LEASE_MS, this.#ejectionMs);
  }

  /** A request goes there. Where all are out some do before their time, and are no trial. */
  chosen(now: number): void {
    if (this.stateAt(now) !== "half_open") return;
    this.#trialAt = now;
    this.#trialUnderWay = true;
  }

  /** The attempt was answered, and not with a status that counts as a failure. */
  answered({ startedAt, endedAt }: AttemptTimes, checks: PassiveChecks): NodeChange | undefined {
    this.answeredAt = endedAt;
    this.#failures.httpFailures = 0;
    if (!this.#endsTrial(startedAt) || ++this.#passed < checks.successes) return undefined;
    const outMs = endedAt - this.#since;
    this.#forgetFailures();
    this.#out = false;
    this.#since = endedAt;
    this.#slowStartMs = checks.slowStart * 1_000;
    this.#until = endedAt + this.#slowStartMs;
    return { kind: "returned", outMs };
  }

  /** @param mayEject whether the share of nodes that are out allows one more */
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
    if (this.#out) {
      if (!this.#endsTrial(startedAt)) return undefined;
      this.counted[reason]++;
      return this.#eject(reason, 1, endedAt, checks);
    }
    if (startedAt < this.#since) return undefined;
    if (reason !== "httpFailures") {
      if (startedAt <= this.answeredAt) return undefined;
      if (this.answeredAt > this.#failedAt) this.#failures.tcpFailures = this.#failures.timeouts = 0;
      this.#failedAt = endedAt;
    }
    this.counted[reason]++;
    const failures = ++this.#failures[reason];
    if (failures < checks[reason]) return undefined;
    return mayEject() ? this.#eject(reason, failures, endedAt, checks) : { kind: "spared", reason, failures };
  }

  /** The attempt ended without a word about the node: the client went, or another's fault ended it. */
  abandoned(startedAt: number): void {
    this.#endsTrial(startedAt);
  }

  /** Attempts that began before the trial did are none; they were under way when the node went out. */
  #endsTrial(startedAt: number): boolean {
    if (!this.#trialUnderWay || startedAt < this.#trialAt) return false;
    this.#trialUnderWay = false;
    return true;
  }

  #eject(reason: NodeFailure, failures: number, now: number, checks: PassiveChecks): NodeChange {
    const again = this.#out;
    if (!again) this.#calmDown(now);
    this.#ejectionMs = Math.min(checks.ejectionTime * 2 ** this.#level, checks.maxEjectionTime) * 1_000;
    // Doubling beyond the longest time would only lengthen the way back.
    if (this.#ejectionMs < checks.maxEjectionTime * 1_000) this.#level++;
    this.#forgetFailures();
    this.#out = true;
    this.#until = now + this.#ejectionMs;
    if (!again) this.#since = now;
    return { kind: "ejected", reason, failures, ms: this.#ejectionMs };
  }

  /** For each time as long as its last ejection that a node was back, the next one is half as long. */
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
