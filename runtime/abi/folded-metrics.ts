import type { Metrics } from "./metrics.js";

/** Value of a label whose own was folded away; no id may be spelled so. */
export const FOLDED = "(overflow)";

const NAME = "gw_metrics_folded_total";
const HELP = "Series that were not kept apart but folded into (overflow), since their metric has too many.";

/** Series of a metric of which it is remembered that they are folded; later ones are not counted. */
const MAX_COUNTED = 10_000;

/**
 * Labels whose values come out of short lists. They stay when a family is full, so that errors are still told from answers
 * where routes are not told apart any more.
 */
const CLOSED: ReadonlySet<string> = new Set([
  "code",
  "type",
  "state",
  "reason",
  "outcome",
  "failure",
  "result",
]);

/** Metrics of requests: what is counted of one is the sum of what its labels tell apart, so that labels may be left out. */
export const OF_REQUESTS: ReadonlySet<string> = new Set([
  "gw_http_status",
  "gw_http_latency",
  "gw_bandwidth",
]);

/** Bounds of the series of one process (`plugin_attr.prometheus`). */
export interface SeriesBounds {
  /** Series that a family keeps apart. */
  limit: number;
  /** Labels that metrics of requests do without. */
  dropped: readonly string[];
}

export const SERIES_BOUNDS: Readonly<SeriesBounds> = { limit: 2_000, dropped: [] };

/** @returns the labels that a series of `metric` has when `dropped` are left out */
export function withoutDropped(
  metric: string,
  labels: Readonly<Record<string, string>>,
  dropped: readonly string[],
): Readonly<Record<string, string>> {
  if (dropped.length === 0 || !OF_REQUESTS.has(metric)) return labels;
  return Object.fromEntries(Object.entries(labels).filter(([name]) => !dropped.includes(name)));
}

/** Folded series of a metric, each counted once. */
export class FoldedSeries {
  readonly #metrics: Metrics;
  readonly #metric: string;
  readonly #known = new Set<string>();

  constructor(metrics: Metrics, metric: string) {
    this.#metrics = metrics;
    this.#metric = metric;
  }

  /** @param key of what is not kept apart @param series how many that are */
  count(key: string, series = 1): void {
    if (this.#metric === NAME || this.#known.size >= MAX_COUNTED || this.#known.has(key)) return;
    this.#known.add(key);
    this.#metrics.counter(NAME, HELP, { metric: this.#metric }).add(series);
  }

  /** It is gone; it counts anew when it comes back. */
  forget(key: string): void {
    this.#known.delete(key);
  }
}

/** @param all without the labels that else stay */
export function foldedLabels(labels: Readonly<Record<string, string>>, all: boolean): Record<string, string> {
  const fold = ([name, value]: [string, string]) => [name, !all && CLOSED.has(name) ? value : FOLDED];
  return Object.fromEntries(Object.entries(labels).map(fold));
}
