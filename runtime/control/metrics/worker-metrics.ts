import type { MetricFamily } from "../../abi/metrics.js";
import { routesIn, withoutRoutes } from "../../abi/removed-routes.js";
import { aggregateMetrics, type ProcessMetrics } from "./sums.js";

/** One worker's process as the counters know it. */
interface Source extends ProcessMetrics {
  pid: number;
  /** Asks for its counters as they are now. */
  ask: (number: number) => void;
}

interface Asked {
  number: number;
  /** Sources that have not answered yet. */
  waiting: Set<Source>;
  settle: () => void;
}

/** Counts of ended workers, kept where the next control finds it. */
export interface RetainedMetrics {
  load(): readonly MetricFamily[];
  save(families: readonly MetricFamily[]): void;
}

const NOT_RETAINED: RetainedMetrics = { load: () => [], save: () => {} };

/**
 * The counters of all workers. A worker that ends takes its gauges with it; what it counted stays in the sums, so that
 * they never fall while the gateway runs.
 */
export class WorkerMetrics {
  readonly #sources = new Map<number, Source>();
  readonly #retained: RetainedMetrics;
  #past: readonly MetricFamily[];
  #asked: Asked | undefined;
  #collecting: Promise<void> | undefined;
  #number = 0;

  constructor(retained: RetainedMetrics = NOT_RETAINED) {
    this.#retained = retained;
    this.#past = retained.load();
  }

  /** A worker says hello: a new process, or the same one on another connection. */
  joined(index: number, pid: number, ask: Source["ask"]): void {
    const before = this.#sources.get(index);
    if (before?.pid === pid) {
      before.ask = ask;
      before.ended = false;
      return;
    }
    if (before) this.#retire(before);
    this.#sources.set(index, { pid, ask, families: [], ended: false });
  }

  /** Its connection is gone; until another process takes its place it may come back. */
  left(index: number, pid: number): void {
    const source = this.#sources.get(index);
    if (source?.pid !== pid) return;
    source.ended = true;
    this.#answered(source);
  }

  /** @param number of the question that this answers */
  reported(index: number, families: readonly MetricFamily[], number?: number): void {
    const source = this.#sources.get(index);
    if (!source) return;
    source.families = families;
    if (number === this.#asked?.number) this.#answered(source);
  }

  /** Sums as of now; a worker that does not answer in time enters with what it told last. */
  async collect(deadlineMs: number): Promise<MetricFamily[]> {
    this.#collecting ??= this.#askAll(deadlineMs).finally(() => {
      this.#collecting = undefined;
    });
    await this.#collecting;
    return aggregateMetrics([{ families: this.#past, ended: true }, ...this.#sources.values()]);
  }

  /** Ended workers counted for these routes too, which have left for good. */
  forgetRoutes(gone: ReadonlySet<string>): void {
    if (Array.from(routesIn(this.#past)).some((route) => gone.has(route)))
      this.#past = withoutRoutes(this.#past, gone);
  }

  async #askAll(deadlineMs: number): Promise<void> {
    const live = [...this.#sources.values()].filter(({ ended }) => !ended);
    if (live.length === 0) return;
    const number = ++this.#number;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, deadlineMs);
      const settle = () => {
        clearTimeout(timer);
        resolve();
      };
      this.#asked = { number, waiting: new Set(live), settle };
      for (const source of live) source.ask(number);
    });
    this.#asked = undefined;
  }

  #answered(source: Source): void {
    const asked = this.#asked;
    if (asked?.waiting.delete(source) && asked.waiting.size === 0) asked.settle();
  }

  #retire({ families }: Source): void {
    this.#past = aggregateMetrics([
      { families: this.#past, ended: true },
      { families, ended: true },
    ]);
    this.#retained.save(this.#past);
  }
}
