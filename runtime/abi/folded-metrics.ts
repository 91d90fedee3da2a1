import type { Gauge, Metrics } from "./metrics.js";
/** Value of a folded label; no id may be spelled so. */
export const FOLDED = "(overflow)";

const NAME = "gw_metrics_folded_total";
const HELP = "Series that are counted in (overflow), because their metric has too many series.";

/** Maximum folded series of a metric that are counted once each; later ones are not counted. */
const MAX_COUNTED = 10_000;

/** Labels with values from short lists, which stay when a family is full: errors remain separate. */
const CLOSED: ReadonlySet<string> = new Set([
  "code",
  "type",
  "state",
  "reason",
  "outcome",
  "failure",
  "result",
]);

/** Metrics of which a series is the sum of those with further labels, so that labels may be omitted. */
export const OF_REQUESTS: ReadonlySet<string> = new Set([
  "gw_http_status",
  "gw_http_latency",
  "gw_bandwidth",
]);

/** Limits of one process (`plugin_attr.prometheus`). */
export interface SeriesBounds {
  /** Maximum separate series of a family. */
  limit: number;
  /** Labels that metrics of requests omit. */
  dropped: readonly string[];
}

export const SERIES_BOUNDS: Readonly<SeriesBounds> = { limit: 2_000, dropped: [] };

export function withoutDropped(
  metric: string,
  labels: Readonly<Record<string, string>>,
  dropped: readonly string[],
): Readonly<Record<string, string>> {
  if (dropped.length === 0 || !OF_REQUESTS.has(metric)) return labels;
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !dropped.includes(name)));
}

export class FoldedSeries {
  readonly #metrics: Metrics;
  readonly #metric: string;
  readonly #counted = new Set<string>();

  constructor(metrics: Metrics, metric: string) {
    this.#metrics = metrics;
    this.#metric = metric;
  }

  /** @param series number of series behind the folded labels */
  count(key: string, series = 1): void {
    if (this.#metric === NAME || this.#counted.size >= MAX_COUNTED || this.#counted.has(key)) return;
    this.#counted.add(key);
    this.#metrics.counter(NAME, HELP, { metric: this.#metric }).add(series);
  }

  /** A removed key counts again when it returns. */
  forget(key: string): void {
    this.#counted.delete(key);
  }
}

/** @param all folds also the labels with values from short lists */
export function foldedLabels(labels: Readonly<Record<string, string>>, all: boolean): Record<string, string> {
  const fold = ([name, value]: [string, string]) => [name, !all && CLOSED.has(name) ? value : FOLDED];
  return Object.fromEntries(Object.entries(labels).map(fold));
}

/** Maximum gauges of a family behind "(overflow)"; further ones are left out. */
const MAX_MEMBERS = 10_000;

/** Gauges with a meaningless sum: ages, pauses and numbers of an election. */
const HIGHEST: ReadonlySet<string> = new Set([
  "gw_spool_oldest_seconds",
  "gw_spool_shipper_epoch",
  "gw_event_loop_lag_seconds",
]);

/** True if the maximum counts, not the sum: also for timestamps, as Prometheus names them, and plugins' levels. */
export const countsHighest = (name: string): boolean =>
  HIGHEST.has(name) || /_(?:timestamp_seconds|level)$/.test(name);

interface Level {
  value: number;
}

interface Member extends Level {
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
