import type { Gauge } from "./metrics.js";

/** Maximum gauges of a family behind "(overflow)"; further ones are left out. */
const MAX_MEMBERS = 10_000;

/** Gauges with a meaningless sum: ages, pauses, and numbers of a state or an election. */
const HIGHEST: ReadonlySet<string> = new Set([
  "gw_spool_oldest_seconds",
  "gw_spool_shipper_epoch",
  "gw_event_loop_lag_seconds",
  "gw_captcha_attack_level",
]);

/** True if the maximum counts, not the sum: also for `_timestamp_seconds`, as Prometheus names timestamps. */
export const countsHighest = (name: string): boolean =>
  HIGHEST.has(name) || name.endsWith("_timestamp_seconds");

interface Level {
  value: number;
}

interface Member {
  value: number;
  shown: Level;
}

/** Gauges that share a few series, of which each has their sum or, if that is meaningless, maximum. */
export class FoldedGauges {
  readonly #isHighest: boolean;
  readonly #members = new Map<string, Member>();
  readonly #sharing = new Map<Level, Set<Member>>();

  constructor(name: string) {
    this.#isHighest = countsHighest(name);
  }

  get isFull(): boolean {
    return this.#members.size >= MAX_MEMBERS;
  }

  /** Reports whether a series is shared: no gauge of its own labels may set it. */
  isShared(series: Level): boolean {
    return this.#sharing.has(series);
  }

  of(key: string): Gauge | undefined {
    const member = this.#members.get(key);
    return member && { set: (value) => this.#set(member, value) };
  }

  add(key: string, shown: Level): Gauge {
    const member = { value: this.#isHighest ? Number.NEGATIVE_INFINITY : 0, shown };
    this.#members.set(key, member);
    const sharing = this.#sharing.get(shown);
    if (sharing === undefined) this.#sharing.set(shown, new Set([member]));
    else sharing.add(member);
    return { set: (value) => this.#set(member, value) };
  }

  /** @returns the series that it shared, if no member is left */
  forget(key: string): Level | undefined {
    const member = this.#members.get(key);
    if (member === undefined) return undefined;
    const { shown, value } = member;
    this.#members.delete(key);
    const sharing = this.#sharing.get(shown);
    sharing?.delete(member);
    if (!this.#isHighest) shown.value -= value;
    else if (value === shown.value) this.#showHighest(shown);
    if (sharing?.size !== 0) return undefined;
    this.#sharing.delete(shown);
    return shown;
  }

  #set(member: Member, value: number): void {
    const { shown, value: before } = member;
    // A handle may outlive its gauge.
    if (this.#sharing.get(shown)?.has(member) !== true) return;
    member.value = value;
    if (!this.#isHighest) shown.value += value - before;
    else if (value >= shown.value) shown.value = value;
    else this.#showHighest(shown);
  }

  #showHighest(shown: Level): void {
    let highest = Number.NEGATIVE_INFINITY;
    for (const { value } of this.#sharing.get(shown) ?? []) highest = Math.max(highest, value);
    if (Number.isFinite(highest)) shown.value = highest;
  }
}

/** Gauge of series that are left out. */
export const NOWHERE: Gauge = { set: () => {} };
