import type { BatchSettings, LogEntry, Sink } from "../../runtime/abi/delivery.js";
import { MetricsRegistry } from "../../runtime/abi/metrics-registry.js";
import { BatchProcessor } from "../../runtime/logging/batch/batch-processor.js";
import { SimulatedClock } from "./simulated-clock.js";

/** A sink that the test controls: each `send` is pending until `answer`. */
export class ManualSink implements Sink {
  readonly sent: string[][] = [];
  closed = false;
  #answers: ((error?: Error) => void)[] = [];

  send(entries: readonly LogEntry[]): Promise<void> {
    this.sent.push(entries.map(({ payload }) => payload));
    return new Promise((resolve, reject) => {
      this.#answers.push((error) => (error === undefined ? resolve() : reject(error)));
    });
  }

  /** Settles the oldest pending `send`. */
  answer(error?: Error): void {
    this.#answers.shift()?.(error);
  }

  get underWay(): number {
    return this.#answers.length;
  }

  async close(): Promise<void> {
    this.closed = true;
    while (this.underWay > 0) this.answer(new Error("the sink was closed"));
  }
}

/** A sink that accepts everything at once. */
export class ReadySink implements Sink {
  readonly batches: string[][] = [];

  async send(entries: readonly LogEntry[]): Promise<void> {
    this.batches.push(entries.map(({ payload }) => payload));
  }

  async close(): Promise<void> {}
}

export const BATCH: BatchSettings = {
  name: "sys logger",
  batchMaxSize: 1_000,
  inactiveTimeout: 5,
  bufferDuration: 60,
  maxRetryCount: 0,
  retryDelay: 1,
  maxPendingEntries: 8_192,
  maxPendingBytes: 67_108_864,
};

type Reported = Readonly<Record<string, string | number | undefined>>;

/** A batch processor with its own clock, metrics and reports. */
export function batchOn<S extends Sink>(sink: S, settings: Partial<BatchSettings> = {}) {
  const clock = new SimulatedClock();
  const metrics = new MetricsRegistry();
  const reports: { event: string; fields: Reported }[] = [];
  const report = (event: string, fields: Reported) => reports.push({ event, fields });
  const batch = new BatchProcessor({ ...BATCH, ...settings }, sink, { report, metrics }, clock);
  const push = (payload: string, route = "r1") =>
    batch.push({ payload }, batch.metrics.of(route, "127.0.0.1"));
  /** Value of its series with these labels; undefined if there is none. */
  const metric = (family: string, labels: Record<string, string> = {}) =>
    metrics
      .snapshot()
      .find(({ name }) => name === family)
      ?.series.find((series) =>
        Object.entries(labels).every(([name, value]) => series.labels[name] === value),
      )?.value;
  return { batch, sink, clock, metrics, reports, push, metric };
}
