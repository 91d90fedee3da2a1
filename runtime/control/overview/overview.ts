import { statSync } from "node:fs";
import type { DiagnosticSummary } from "../../../compiler/thread/diagnostic-summary.js";
import { messageOf } from "../../abi/error-message.js";
import type { MetricFamily } from "../../abi/metrics.js";
import type { ActivityReport } from "../../process/activity.js";
import type { PluginAttention } from "../../process/contribution.js";
import { log } from "../../process/log.js";
import type { CertificateDate } from "../certificates.js";
import { type Attention, attentionTo, type Recent } from "./attention.js";
import {
  type ActivityRow,
  ALL_RINGS_BYTES,
  type Figures,
  LastHour,
  type LastSecond,
  type TimeRangeQuery,
  type TimeRangeReport,
} from "./last-hour.js";
import { expiring, type KnownWorker, type Measured, measured, type Now } from "./now.js";

/** Growth of a counter within a time window, sampled now and then. The first value counts as old. */
export class GrownLately {
  readonly #windowMs: number;
  /** Growth at each sample, oldest first. */
  #grown: { at: number; more: number }[] = [];
  #last: number | undefined;

  constructor(windowMs: number) {
    this.#windowMs = windowMs;
  }

  /** @param now monotonic time in ms */
  look(count: number, now: number): void {
    // A smaller value means that a new process counts from 0.
    const more = this.#last === undefined ? 0 : count < this.#last ? count : count - this.#last;
    this.#last = count;
    if (more > 0) this.#grown.push({ at: now, more });
  }

  /** Returns the growth within the window, so that a past problem is not reported forever. */
  at(now: number): number {
    this.#grown = this.#grown.filter(({ at }) => now - at < this.#windowMs);
    return this.#grown.reduce((sum, { more }) => sum + more, 0);
  }
}

export type Known = Omit<
  Now,
  "workers" | "spool" | "logs" | "nodes_out" | "nodes_failing" | "certificates" | "findings" | "store"
> & {
  workers: KnownWorker[];
  history: Now["store"]["history"];
  /** Null if nothing is stored. */
  storeFile: string | null;
  /** Size limit of all spools; null if there are none. */
  spoolBytes: number | null;
};

export interface OverviewParts {
  known: () => Known;
  families: () => Promise<readonly MetricFamily[]>;
  certificates: () => readonly CertificateDate[];
  findings: (() => Promise<DiagnosticSummary>) | null;
  /** Returns the items of plugins, derived from the metrics. @param now epoch seconds */
  attention: (families: readonly MetricFamily[], now: number) => PluginAttention[];
  upstreamOf: (route: string) => string | null | undefined;
}

export interface OverviewAnswer extends Omit<TimeRangeReport, "routes" | "upstreams"> {
  /** ISO 8601. */
  at: string;
  ring_bytes: number;
  now: Now;
  attention: Attention[];
  routes: ({ id: string } & ActivityRow)[];
  upstreams: ({ id: string } & ActivityRow)[];
}

const TICK_MS = 1_000;
/** Minimum interval in ms of queries to workers for a reader: their metrics include 6,000 counters. */
const MEASURED_MS = 5_000;
/** Interval in ms of queries without a reader, so that dropped log entries have a time. */
const UNSEEN_MS = 60_000;
/** Time in ms for which dropped log entries need attention. */
const LATELY_MS = 900_000;
/** Minimum interval in ms of queries for diagnostics: the compiler checks every route for them. */
const FINDINGS_MS = 10_000;
const RECENT = 300;

export class Overview {
  readonly #parts: OverviewParts;
  readonly #hour: LastHour;
  readonly #timer: NodeJS.Timeout;
  #measured: Measured = measured([], null, 0);
  #measuredAt = Number.NEGATIVE_INFINITY;
  #ofPlugins: PluginAttention[] = [];
  readonly #dropped = new GrownLately(LATELY_MS);
  #areWorkersKnown = false;
  #findings: DiagnosticSummary | null = null;
  #findingsOf = 0;
  #findingsAt = Number.NEGATIVE_INFINITY;
  /** Callbacks for the end of each second. */
  readonly seconds = new Set<(last: LastSecond) => void>();

  constructor(parts: OverviewParts) {
    this.#parts = parts;
    this.#hour = new LastHour(parts.upstreamOf, second());
    this.#timer = setInterval(() => this.#tick(), TICK_MS);
    this.#timer.unref();
  }

  report(report: ActivityReport): void {
    this.#hour.report(report);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  async answer(asked: TimeRangeQuery): Promise<OverviewAnswer> {
    const state = await this.state();
    const now = second();
    const { seconds, of } = asked;
    return {
      ...{ at: new Date().toISOString(), ring_bytes: ALL_RINGS_BYTES, ...state },
      ...this.#hour.stretch(now, asked),
      routes: of === null ? this.#hour.rows("routes", now, seconds) : [],
      upstreams: of === null ? this.#hour.rows("upstreams", now, seconds) : [],
    };
  }

  stretch(asked: TimeRangeQuery): TimeRangeReport {
    return this.#hour.stretch(second(), asked);
  }

  lastOf(of: NonNullable<TimeRangeQuery["of"]>): Figures {
    return this.#hour.lastOf(of);
  }

  /** Returns the current state and what needs attention; metrics of workers are up to some seconds old. */
  async state(): Promise<{ now: Now; attention: Attention[] }> {
    await this.#measure();
    await this.#find();
    const now = this.#now();
    return { now, attention: attentionTo(now, this.#recent(), this.#ofPlugins) };
  }

  #tick(): void {
    this.#hour.tick(second() - 1);
    const { last } = this.#hour;
    if (last) for (const tell of this.seconds) tell(last);
    const rest = this.#areWorkersKnown ? UNSEEN_MS : MEASURED_MS;
    if (performance.now() - this.#measuredAt >= rest)
      this.#measure().catch((error: unknown) => log("overview_failed", { reason: messageOf(error) }));
  }

  #recent(): Recent {
    const now = second();
    return {
      ...this.#hour.figures(now, RECENT),
      ...{ worst: this.#hour.worstRoute(now, RECENT), seconds: this.#hour.counted(now, RECENT) },
    };
  }

  #now(): Now {
    const { history, storeFile, spoolBytes: _, ...known } = this.#parts.known();
    const { processes, ...measured } = this.#measured;
    const untold = { memory_bytes: null, loop_lag_ms: null };
    return {
      ...known,
      workers: known.workers.map((one) => ({ ...one, ...(processes.get(`worker-${one.worker}`) ?? untold) })),
      store: { bytes: bytesOf(storeFile), history },
      ...measured,
      logs: { ...this.#measured.logs, dropped_lately: this.#dropped.at(performance.now()) },
      certificates: expiring(this.#parts.certificates(), Date.now()),
      findings: this.#findings,
    };
  }

  async #measure(): Promise<void> {
    if (performance.now() - this.#measuredAt < MEASURED_MS) return;
    this.#measuredAt = performance.now();
    const families = await this.#parts.families();
    this.#measured = measured(families, this.#parts.known().spoolBytes, Date.now() / 1_000);
    this.#ofPlugins = this.#parts.attention(families, Date.now() / 1_000);
    this.#lookForDropped();
  }

  /**
   * Samples the dropped log entries once all workers are known. A control that starts while workers run
   * learns of them one by one, with totals since their own start, none of which is new.
   */
  #lookForDropped(): void {
    const { workers, workers_expected: expected } = this.#parts.known();
    this.#areWorkersKnown ||= workers.length >= expected;
    if (this.#areWorkersKnown) this.#dropped.look(this.#measured.logs.dropped_entries, performance.now());
  }

  async #find(): Promise<void> {
    const { findings, known } = this.#parts;
    const { generation } = known();
    const isKnown = this.#findingsOf === generation || performance.now() - this.#findingsAt < FINDINGS_MS;
    if (findings === null || isKnown) return;
    this.#findingsAt = performance.now();
    try {
      this.#findings = await findings();
      this.#findingsOf = generation;
    } catch (error) {
      // The compiler has died and is restarted; the next call queries it again.
      log("findings_failed", { reason: messageOf(error) });
    }
  }
}

const second = () => Math.floor(Date.now() / 1_000);

function bytesOf(file: string | null): number {
  if (file === null) return 0;
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}
