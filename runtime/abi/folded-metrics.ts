import type { Metrics } from "./metrics.js";

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
