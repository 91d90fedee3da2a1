import { readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageOf } from "../../abi/error-message.js";
import { countsHighest } from "../../abi/folded-metrics.js";
import type { MetricFamily, MetricSeries } from "../../abi/metrics.js";
import { routesIn, withoutRoutes } from "../../abi/removed-routes.js";
import { log } from "../../process/log.js";
import { WorkerQueries } from "../worker-queries.js";

interface Source extends ProcessFamilies {
  pid: number;
  ask: (number: number) => void;
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
  readonly #queries = new WorkerQueries<Source>();
  readonly #retained: RetainedMetrics;
  #past: readonly MetricFamily[];
  #collecting: Promise<void> | undefined;
  /** Collection after the one in progress, shared by all callers that came meanwhile. */
  #next: Promise<void> | undefined;

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
    this.#queries.left(source);
  }

  reported(index: number, families: readonly MetricFamily[], number?: number): void {
    const source = this.#sources.get(index);
    if (!source) return;
    source.families = families;
    if (number !== undefined) this.#queries.answered(source, number, undefined);
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
    await this.#queries.ask(live, deadlineMs, (source, number) => source.ask(number));
  }

  #retire({ families }: Source): void {
    this.#past = aggregateMetrics([
      { families: this.#past, ended: true },
      { families, ended: true },
    ]);
    this.#retained.save(this.#past);
  }
}

/** Families of one process; from an ended one only counters and histograms are used. */
export interface ProcessFamilies {
  families: readonly MetricFamily[];
  ended: boolean;
}

interface Sum {
  family: MetricFamily;
  series: Map<string, MetricSeries>;
}

/**
 * Aggregates the metrics of several processes. Series with the same labels are added: gauges of the gateway
 * are amounts (connections, entries), so their sum is meaningful. Times, ages and the like use the maximum.
 */
export function aggregateMetrics(parts: readonly ProcessFamilies[]): MetricFamily[] {
  const sums = new Map<string, Sum>();
  for (const { families, ended } of parts)
    for (const family of families) {
      if (ended && family.type === "gauge") continue;
      let sum = sums.get(family.name);
      if (sum === undefined) sums.set(family.name, (sum = { family, series: new Map() }));
      if (isSame(sum.family, family))
        for (const series of family.series) add(sum.series, series, isHighest(family));
    }
  return [...sums.values()].map(({ family, series }) => ({ ...family, series: [...series.values()] }));
}

/** Compares type and buckets: in a handover, a worker of another version may define a family differently. */
function isSame(a: MetricFamily, b: MetricFamily): boolean {
  return a.type === b.type && (a.buckets ?? []).join() === (b.buckets ?? []).join();
}

const isHighest = ({ type, name }: MetricFamily): boolean => type === "gauge" && countsHighest(name);

function add(
  sums: Map<string, MetricSeries>,
  { labels, value, counts }: MetricSeries,
  highest: boolean,
): void {
  const key = Object.keys(labels)
    .sort()
    .map((name) => `${name}\0${labels[name]}`)
    .join("\0");
  const sum = sums.get(key);
  if (sum === undefined) {
    sums.set(key, { labels, value, ...(counts && { counts: [...counts] }) });
    return;
  }
  sum.value = highest ? Math.max(sum.value, value) : sum.value + value;
  if (counts && sum.counts) sum.counts = sum.counts.map((count, i) => count + (counts[i] ?? 0));
}

const FILE = "ended-workers.json";

/**
 * Keeps the counters of ended workers in the run directory. Otherwise a restarted control would report
 * smaller sums, which Prometheus takes for a restart of the gateway and counts again.
 */
export function retainedIn(runDirectory: string): RetainedMetrics {
  const file = join(runDirectory, FILE);
  return {
    load() {
      try {
        return JSON.parse(readFileSync(file, "utf8")) as MetricFamily[];
      } catch {
        // No worker has ended yet.
        return [];
      }
    },
    save(families) {
      try {
        writeFileSync(`${file}.next`, JSON.stringify(families), { mode: 0o600 });
        renameSync(`${file}.next`, file);
      } catch (error) {
        log("metrics_not_kept", { reason: messageOf(error) });
      }
    },
  };
}

/** Start time of the gateway: its run directory lives as long as its counters, unlike its processes. */
export function startOf(runDirectory: string): { startedAt?: number } {
  const { birthtimeMs } = statSync(runDirectory);
  // 0 on a file system without birth times.
  return birthtimeMs > 0 ? { startedAt: birthtimeMs } : {};
}
