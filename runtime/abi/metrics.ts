export type Labels = Readonly<Record<string, string>>;

/** Value that only grows. */
export interface Counter {
  add(amount: number): void;
}

export interface Gauge {
  set(value: number): void;
}

export interface Histogram {
  observe(value: number): void;
}

/**
 * Metrics of one process. A handle is looked up once and kept, so that the data path only adds a number. A
 * family with too many series puts further ones into a few with the label value "(overflow)", except for
 * labels from short lists (`folded-metrics.ts`).
 */
export interface Metrics {
  counter(name: string, help: string, labels: Labels): Counter;
  /** Sums over workers and folded series are maxima if the name ends in `_timestamp_seconds` or `_level`. */
  gauge(name: string, help: string, labels: Labels): Gauge;
  /** @param buckets upper bounds, ascending, without +Inf */
  histogram(name: string, help: string, labels: Labels, buckets: readonly number[]): Histogram;
  /** Calls `refresh` before metrics are read, until the returned function is called. */
  onCollect(refresh: () => void | Promise<void>): () => void;
  /** Removes a series without further values; a counter keeps its total for the sum over workers. */
  forget(name: string, labels: Labels): void;
}

/** Series as plain data, cumulative since the process started: a worker's report to control. */
export interface MetricFamily {
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram";
  buckets?: readonly number[];
  series: MetricSeries[];
}

export interface MetricSeries {
  labels: Labels;
  /** Value; of a histogram the sum of observations. */
  value: number;
  /** Observations per bucket (not cumulative), the last one above all bounds. */
  counts?: number[];
}
