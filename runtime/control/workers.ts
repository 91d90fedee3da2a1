import type { CertificateTexts } from "../abi/certificates.js";
import type { PluginFile } from "../abi/plugin-bundle.js";
import { DEFAULT_POLICY, type TlsPolicy } from "../abi/tls-policy.js";
import type { Trace, TraceOrder } from "../abi/trace.js";
import { ABI } from "../abi/version.js";
import type { ActivityReport } from "../process/activity.js";
import { log } from "../process/log.js";
import type { LogsReport } from "../process/logs-report.js";
import type {
  FileRange,
  NextGeneration,
  Secrets,
  ToControl,
  ToWorker,
  WorkerSettings,
} from "../process/messages.js";
import { fingerprintOf } from "../process/plugin-files.js";
import type { IsStarved } from "../process/starvation.js";
import { ExpectedAnswers, type Prepared, verdictOf } from "./expected-answers.js";
import type { Stalls } from "./metrics/gateway-metrics.js";
import { type RetainedMetrics, WorkerMetrics } from "./metrics/worker-metrics.js";
import {
  type namesIn,
  partOf,
  type QuarantinedRoute,
  RouteQuarantine,
  type Stall,
} from "./route-quarantine.js";
import type { ShipperElection } from "./shipper-election.js";
import type { NotReady } from "./status.js";
import { WorkerQueries } from "./worker-queries.js";

/** Link to one worker; the transport is a socket, or a function call with `workers: 0`. */
export interface WorkerLink {
  send(message: ToWorker): void;
  replace(): void;
}

interface Worker {
  link: WorkerLink;
  index: number;
  pid: number;
  /** Live generation; 0 before the first. */
  active: number;
  planHash: string;
  prepared: number;
  connections: number;
  requests: number;
  accepting: boolean;
  /** Its listeners have been open before. */
  listened: boolean;
}

/** Committed generation, as a starting worker receives it. */
export interface Committed extends ReturnType<typeof namesIn> {
  number: number;
  planHash: string;
  log(): FileRange;
  settings: WorkerSettings;
  secrets: Secrets;
  plugins: readonly PluginFile[];
}

export class Workers {
  readonly #workers = new Set<Worker>();
  readonly #answers: ExpectedAnswers<Worker>;
  readonly #committed: () => Committed | undefined;
  readonly #expected: number;
  /** Callbacks to run once no worker lags behind. */
  readonly #waiting = new Set<() => void>();
  readonly #election: ShipperElection | undefined;
  /** Metrics of the workers, including ended ones. */
  readonly metrics: WorkerMetrics;
  readonly #logQueries = new WorkerQueries<Worker, LogsReport>();
  /** Last stall that a watchdog or the launcher reported before ending the worker. */
  lastStall: Stall | undefined;
  readonly stalls: Stalls = { held: 0, silent: 0 };
  moduleFailed: (message: ToControl & { type: "module_failed" }) => void = ({ fields }) =>
    log("module_failed", fields);
  traced: (ids: readonly string[], trace: Trace) => void = () => {};
  #traceOrders: () => readonly TraceOrder[] = () => [];
  /** Receives the counts of workers each second. */
  active: (report: ActivityReport) => void = () => {};
  readonly #holds = new RouteQuarantine((route, ms) => {
    for (const { link } of this.#workers) link.send({ type: "hold", route, ms });
  });

  /** `expected`: number of workers that make the gateway ready. `starvation`: injected by tests. */
  constructor(
    expected: number,
    committed: () => Committed | undefined,
    retained?: RetainedMetrics,
    election?: ShipperElection,
    starvation?: (pid: number) => IsStarved,
  ) {
    this.#answers = new ExpectedAnswers((worker) => this.#forget(worker), starvation);
    this.#expected = expected;
    this.#election = election;
    this.metrics = new WorkerMetrics(retained);
    this.#committed = committed;
  }

  attach(link: WorkerLink): { hear(message: ToControl): void; gone(): void } {
    let worker: Worker | undefined;
    return {
      hear: (message) => {
        if (message.type === "hello") worker = this.#welcome(link, message);
        else if (message.type === "stalled") this.#stalled(message);
        else if (worker) this.#onMessage(worker, message);
      },
      gone: () => {
        if (worker) this.#forget(worker);
      },
    };
  }

  #welcome(link: WorkerLink, hello: ToControl & { type: "hello" }): Worker {
    const { worker: index, pid, generation: active, planHash, accepting } = hello;
    const counts = { prepared: 0, connections: 0, requests: 0 };
    const worker: Worker = { link, index, pid, active, planHash, accepting, listened: accepting, ...counts };
    for (const stale of this.#workers) if (stale.index === worker.index) this.#forget(stale);
    this.#workers.add(worker);
    // An ended worker may report late, but always before another takes its place.
    this.#holds.keepServed(new Set([...this.#workers].map(({ pid }) => pid)));
    this.#serves(worker);
    for (const { route, remaining_ms: ms } of this.#holds.current) link.send({ type: "hold", route, ms });
    const orders = this.#traceOrders();
    if (orders.length > 0) link.send({ type: "trace", orders });
    this.metrics.joined(worker.index, worker.pid, (number) => link.send({ type: "metrics", number }));
    const other = this.#otherVersion(hello);
    if (other) {
      log("worker_of_another_version", { worker: worker.index, ...other });
      link.replace();
    } else this.#bringUpToDate(worker);
    this.#noticed();
    return worker;
  }

  /** Returns how the code differs that a worker loaded, maybe under an earlier control, or undefined. */
  #otherVersion({ abi, generation, plugins }: ToControl & { type: "hello" }): object | undefined {
    if (abi !== ABI) return { abi };
    const expected = fingerprintOf(this.#committed()?.plugins ?? []);
    return generation > 0 && plugins !== expected ? { plugins } : undefined;
  }

  /** Sends a worker the committed generation unless it serves it already (it outlived a control). */
  #bringUpToDate(worker: Worker): void {
    const committed = this.#committed();
    if (!committed) return;
    if (worker.active === committed.number && worker.planHash === committed.planHash) {
      this.#letAccept(worker, true);
      return;
    }
    const { number, settings, secrets, plugins } = committed;
    worker.link.send({ type: "start", generation: number, log: committed.log(), settings, secrets, plugins });
  }

  bringAllUpToDate(): void {
    for (const worker of this.#workers) this.#bringUpToDate(worker);
  }

  #onMessage(worker: Worker, message: ToControl): void {
    if (message.type === "active") {
      worker.active = message.generation;
      worker.planHash = message.planHash;
      this.#serves(worker);
    } else if (message.type === "accepting") worker.listened = true;
    else if (message.type === "stats") {
      worker.connections = message.connections;
      worker.requests = message.requests;
      this.#balance();
    } else if (message.type === "activity") {
      this.active(message.report);
      return;
    } else if (message.type === "metrics") {
      this.metrics.reported(worker.index, message.families, message.number);
      return;
    } else if (message.type === "logs") {
      this.#logQueries.answered(worker, message.number, message.report);
      return;
    } else if (message.type === "traced") {
      this.traced(message.ids, message.trace);
      return;
    } else if (message.type === "module_failed") {
      this.moduleFailed(message);
      return;
    } else if (message.type === "deserted") this.#election?.deserted();
    this.#answers.heard(worker, message);
    // A new worker accepts only now; if the generation changed while it was loading, it loads again.
    if (message.type === "active" && !worker.accepting) this.#bringUpToDate(worker);
    this.#noticed();
  }

  #serves({ pid, active, planHash }: Worker): void {
    const committed = this.#committed();
    const isCommitted = active === committed?.number && planHash === committed.planHash;
    this.#holds.serves(pid, isCommitted ? committed.routeVersion : undefined);
  }

  #noticed(): void {
    if (this.#waiting.size > 0 && this.lag() === undefined) {
      for (const resolve of this.#waiting) resolve();
      this.#waiting.clear();
    }
    this.#election?.look([...this.#workers]);
  }

  #stalled({ worker, pid, routeNumber, part, silentMs }: ToControl & { type: "stalled" }): void {
    const committed = this.#committed();
    const route = committed?.routeAt(routeNumber);
    const code = partOf(part, (index) => committed?.globalRuleAt(index));
    const at = new Date().toISOString();
    this.lastStall = { worker, reason: "its main thread was blocked", route, part: code, silentMs, at };
    this.stalls.held += 1;
    log("worker_stalled", { ...this.lastStall });
    if (route !== undefined) this.#holds.stalled(route, pid, (id) => committed?.routeVersion(id));
    this.#noticed();
  }

  /** Records a worker that the launcher replaces for lack of liveness signals. */
  silent({ worker, silentMs }: { worker: number; silentMs: number }): void {
    const at = new Date().toISOString();
    this.lastStall = { worker, reason: "it sent no liveness signal", route: undefined, silentMs, at };
    this.stalls.silent += 1;
    log("worker_unresponsive", { ...this.lastStall });
  }

  get quarantinedRoutes(): QuarantinedRoute[] {
    return this.#holds.current;
  }

  #forget(worker: Worker): void {
    this.#workers.delete(worker);
    this.metrics.left(worker.index, worker.pid);
    this.#logQueries.left(worker);
    this.#answers.gone(worker);
    // It may have been the only worker that was not paused.
    this.#balance();
    this.#noticed();
  }

  /**
   * First phase. It fails if a worker rejects the generation; a late worker is replaced and does not count.
   * @param moreMs time in ms added to the timeout, if there is much to prepare
   */
  prepare(next: NextGeneration, moreMs = 0): Promise<Prepared> {
    return this.#ask({ type: "prepare", ...next }, moreMs);
  }

  /** Checks as `prepare` does, with nothing to activate or discard. Fails if a worker is late or none is left. */
  dryRun(next: NextGeneration, certificateTexts: CertificateTexts, moreMs = 0): Promise<Prepared> {
    return this.#ask({ type: "attempt", certificateTexts, ...next }, moreMs);
  }

  async #ask(question: ToWorker & { type: "prepare" | "attempt" }, moreMs: number): Promise<Prepared> {
    const { generation } = question;
    const committed = this.#committed();
    const current = [...this.#workers].filter(
      (worker) => worker.active === committed?.number && worker.planHash === committed.planHash,
    );
    const answers = current.map(async (worker): Promise<Prepared> => {
      const answered = this.#answers.expect(
        worker,
        (message) =>
          (message.type === "prepared" || message.type === "refused") && message.generation === generation,
        moreMs,
      );
      worker.link.send(question);
      const answer = await answered;
      if (answer === "late" || answer === "gone") {
        if (question.type === "prepare") return { ok: true, isUnjudged: true };
        const silence = answer === "late" ? "it does not reply" : "it has exited";
        return { ok: false, worker: worker.index, reason: silence, exhausted: true };
      }
      worker.prepared = generation;
      if (answer.type !== "refused") return { ok: true };
      const { reason, code, exhausted } = answer;
      const why = { reason, ...(code !== undefined && { code }), ...(exhausted && { exhausted }) };
      return { ok: false, worker: worker.index, ...why };
    });
    return verdictOf(await Promise.all(answers), question.type);
  }

  /** TLS policy with which starting workers check certificates. */
  get tlsPolicy(): TlsPolicy {
    return this.#committed()?.settings.tls ?? DEFAULT_POLICY;
  }

  discard(generation: number): void {
    for (const { link } of this.#workers) link.send({ type: "discard", generation });
  }

  /** Second phase: resolves when every worker serves `generation` (or a later one) or has been replaced. */
  async activate(generation: number): Promise<void> {
    const committed = this.#committed();
    const serving = [...this.#workers].filter((worker) => worker.active > 0);
    await Promise.all(
      serving.map(async (worker) => {
        const answered = this.#answers.expect(
          worker,
          (message) => message.type === "active" && message.generation >= generation,
        );
        if (worker.prepared === generation) worker.link.send({ type: "activate", generation });
        else this.#bringUpToDate(worker);
        await answered;
      }),
    );
    // Only now: workers end a quarantine at once, and before activation they would run its old code.
    this.#holds.review((route) => committed?.routeVersion(route));
  }

  /** Pauses workers above 1.5 x the mean: a shared listener gave one of two workers 8 of 8 connections. */
  #balance(): void {
    const total = [...this.#workers].reduce((sum, { connections }) => sum + connections, 0);
    const limit = (1.5 * total) / Math.max(this.#workers.size, 1);
    for (const worker of this.#workers) {
      const share =
        worker.connections <= limit || worker.connections < BALANCE_FROM || this.#workers.size < 2;
      if (worker.active > 0) this.#letAccept(worker, share);
    }
  }

  #letAccept(worker: Worker, on: boolean): void {
    if (worker.accepting === on) return;
    worker.accepting = on;
    worker.link.send({ type: "accept", on });
  }

  /** Sends the traces to record to all workers, also to later ones. */
  trace(orders: () => readonly TraceOrder[]): void {
    this.#traceOrders = orders;
    for (const { link } of this.#workers) link.send({ type: "trace", orders: orders() });
  }

  /** Returns the reports before the timeout. One worker alone reports the modules of each destination. */
  logs(timeoutMs: number): Promise<LogsReport[]> {
    const serving = [...this.#workers].filter(({ active }) => active > 0);
    return this.#logQueries.ask(serving, timeoutMs, (worker, number) =>
      worker.link.send({ type: "logs", number, users: worker === serving[0] }),
    );
  }

  sendSettings(settings: WorkerSettings): void {
    for (const { link } of this.#workers) link.send({ type: "settings", settings });
  }

  /** Number of workers that serve any generation and have listened. */
  get serving(): number {
    return [...this.#workers].filter(({ active, listened }) => active > 0 && listened).length;
  }

  /** Reason why not all workers serve the committed generation, or undefined. */
  lag(): NotReady | undefined {
    const committed = this.#committed();
    if (!committed) return { code: "no_generation", message: "no generation is running yet" };
    const behind = [...this.#workers].filter(({ active }) => active < committed.number);
    if (this.#workers.size < this.#expected) {
      const counts = { expected: this.#expected, connected: this.#workers.size };
      return { code: "workers_missing", message: this.#missing(), ...counts };
    }
    const [first] = behind;
    if (first) {
      const message = `worker ${first.index} serves generation ${first.active}, not ${committed.number}`;
      return { code: "workers_behind", message, expected: this.#expected, behind: behind.length };
    }
    // A bound socket that does not listen refuses connections.
    const listens = [...this.#workers].some(({ listened }) => listened);
    return listens ? undefined : { code: "not_listening", message: "no worker is listening yet" };
  }

  #missing(): string {
    const missing = `${this.#expected - this.#workers.size} of ${this.#expected} workers not connected`;
    const { lastStall: last } = this;
    if (last === undefined || [...this.#workers].some(({ index }) => index === last.worker)) return missing;
    return `${missing}: worker ${last.worker} is replaced, ${last.reason} for ${last.silentMs} ms`;
  }

  whenReady(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.add(resolve);
      this.#noticed();
    });
  }

  summary(): { worker: number; pid: number; generation: number; connections: number; requests: number }[] {
    return [...this.#workers]
      .map(({ index, pid, active, connections, requests }) => ({
        worker: index,
        pid,
        generation: active,
        connections,
        requests,
      }))
      .sort((a, b) => a.worker - b.worker);
  }
}

/** Minimum number of connections at which a worker may be paused. */
const BALANCE_FROM = 4;
