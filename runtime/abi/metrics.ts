/** Label names with their values. */
export type Labels = Readonly<Record<string, string>>;

/** Only grows. */
export interface Counter {
  add(amount: number): void;
}

/** A level. */
export interface Gauge {
  set(value: number): void;
}

/** Observations in buckets. */
export interface Histogram {
  observe(value: number): void;
}

/**
 * The counters of one process. A handle is looked up once and kept, so that the data path only adds a number. Families with
 * too many series put further ones into few whose labels are "(overflow)", but for those of short lists (`folded-metrics.ts`).
 */
export interface Metrics {
  counter(name: string, help: string, labels: Labels): Counter;
  gauge(name: string, help: string, labels: Labels): Gauge;
  /** `buckets`: upper bounds, ascending, without +Inf. */
  histogram(name: string, help: string, labels: Labels, buckets: readonly number[]): Histogram;
  /** Has `refresh` called before metrics are read, so that a level is that of the moment. The answer ends it. */
  onCollect(refresh: () => void | Promise<void>): () => void;
  /** A series that nobody feeds any more; a gauge disappears, a counter keeps its total for the sum over workers. */
  forget(name: string, labels: Labels): void;
}

/** All series of a process as plain data, cumulative since its start: what a worker tells control. */
export interface MetricFamily {
  name: string;
  help: string;
  type: "counter" | "gauge" | "histogram";
  /** Of a histogram. */
  buckets?: readonly number[];
  series: MetricSeries[];
}

export interface MetricSeries {
  labels: Labels;
  /** Value; of a histogram the sum of observations. */
  value: number;
  /** Of a histogram: observations per bucket (not cumulative), the last one above all bounds. */
  counts?: number[];
}
