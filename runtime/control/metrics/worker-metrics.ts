import type { MetricFamily } from "../../abi/metrics.js";
import { routesIn, withoutRoutes } from "../../abi/removed-routes.js";
import { aggregateMetrics, type ProcessFamilies } from "./sums.js";

interface Source extends ProcessFamilies {
  pid: number;
  ask: (number: number) => void;
}

interface Asked {
  number: number;
  waiting: Set<Source>;
  settle: () => void;
}

/** Counters of ended workers, stored for the next control. */
export interface RetainedMetrics {
  load(): readonly MetricFamily[];
  save(families: readonly MetricFamily[]): void;
}

const NOT_RETAINED: RetainedMetrics = { load: () => [], save: () => {} };

/** Gauges of an ended worker disappear, but its counters stay in the sums, so that these never decrease. */
export class WorkerMetrics {
  readonly #sources = new Map<number, Source>();
  readonly #retained: RetainedMetrics;
  #past: readonly MetricFamily[];
  #asked: Asked | undefined;
  #collecting: Promise<void> | undefined;
  /** Collection after the one in progress, shared by all callers that came meanwhile. */
  #next: Promise<void> | undefined;
  #number = 0;

  constructor(retained: RetainedMetrics = NOT_RETAINED) {
    this.#retained = retained;
    this.#past = retained.load();
  }

  /** Registers a worker: a new process, or the same one on another connection. */
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

  /** Marks a worker as ended; unless another process takes its place, it may reconnect. */
  left(index: number, pid: number): void {
    const source = this.#sources.get(index);
    if (source?.pid !== pid) return;
    source.ended = true;
    this.#answered(source);
  }

  reported(index: number, families: readonly MetricFamily[], number?: number): void {
    const source = this.#sources.get(index);
    if (!source) return;
    source.families = families;
    if (number === this.#asked?.number) this.#answered(source);
  }

  /** Includes all that was counted before the call; of a worker that misses the timeout, the last report. */
  async collect(deadlineMs: number): Promise<MetricFamily[]> {
    await this.#fresh(deadlineMs);
    return aggregateMetrics([{ families: this.#past, ended: true }, ...this.#sources.values()]);
  }

  /** Removes routes that are gone for good from the counters of ended workers. */
  forgetRoutes(gone: ReadonlySet<string>): void {
    if (Array.from(routesIn(this.#past)).some((route) => gone.has(route)))
      this.#past = withoutRoutes(this.#past, gone);
  }

  /** Waits for a collection that starts now or later: one in progress may lack what was counted since. */
  #fresh(deadlineMs: number): Promise<void> {
    if (this.#collecting) {
      this.#next ??= this.#collecting.then(() => {
        this.#next = undefined;
        return this.#fresh(deadlineMs);
      });
      return this.#next;
    }
    this.#collecting = this.#askAll(deadlineMs).finally(() => {
      this.#collecting = undefined;
    });
    return this.#collecting;
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
