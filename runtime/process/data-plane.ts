import { CERTIFICATES, type CertificateTexts, certificatesIn } from "../abi/certificates.js";
import { messageOf } from "../abi/error-message.js";
import { SERIES_BOUNDS, type SeriesBounds } from "../abi/folded-metrics.js";
import type { Delta } from "../abi/generation.js";
import type { MetricFamily } from "../abi/metrics.js";
import { MetricsRegistry } from "../abi/metrics-registry.js";
import { openSink } from "../abi/plugin-runtime.js";
import { RETENTION_MS, RemovedRoutes } from "../abi/removed-routes.js";
import type { ResourceContext } from "../abi/resource.js";
import { addressList } from "../abi/text/addresses.js";
import type { TlsPolicy } from "../abi/tls-policy.js";
import type { Trace, TraceOrder } from "../abi/trace.js";
import { runInSlices } from "../http/time-slice.js";
import { CertificateError, Certificates } from "../http/tls/contexts.js";
import { Shipping } from "../logging/spool/shipping.js";
import { type Admission, UNTRUSTED_ADMISSION } from "../proxy/host/admission.js";
import { DataServer } from "../proxy/host/data-server.js";
import { HostedGenerations } from "../proxy/host/generations.js";
import { LoadError } from "../proxy/host/load.js";
import { type Failure, failureOf } from "../proxy/host/module-stack.js";
import { SharedResources } from "../proxy/host/shared-resources.js";
import { Tracer } from "../proxy/trace/tracer.js";
import { AccessLog } from "./access-log.js";
import { ActivityCounter } from "./activity.js";
import { listenError } from "./bind.js";
import type { GenerationContent } from "./generation-log.js";
import type { Heartbeat } from "./heartbeat.js";
import type { ListenAddress } from "./launch-plan.js";
import { log } from "./log.js";
import { type LogsReport, logsReport } from "./logs-report.js";
import type { AdmissionSettings, Secrets, ToControl, WorkerSettings } from "./messages.js";
import { GcPauses, LoopLag, ProcessMetrics } from "./process-metrics.js";
import { logNodeChange, logReport } from "./report-limit.js";
import { SecretTable } from "./secret-table.js";
import { traceOf } from "./trace-of.js";

/** Timeout in ms for the batch of a shipper before it is elected again. */
const SHIPPER_STOP_MS = 2_000;
/** Timeout in ms for the last lines of the access log. */
const LAST_LINES_MS = 1_000;
/** Interval in ms of reports about activity. */
const ACTIVITY_MS = 1_000;
/** Timeout in ms for reading gauges from disk; control waits for half a second. */
const LEVELS_MS = 300;

/** A bound socket: a descriptor, or a handle that came over the channel to the launcher. */
export type BoundSocket = { fd: number } | { handle: unknown };

/** The data plane of one process, driven by control's messages: generations, settings and the data server. */
export class DataPlane {
  /** Time in ms for requests in flight at a stop. */
  drainMs = 1000;
  /** Set if there is a control to send to. @returns false if it could not be sent */
  tellControl: (message: ToControl) => boolean = () => false;
  readonly #registry = new MetricsRegistry();
  #reports: NodeJS.Timeout | undefined;
  readonly #activity = new ActivityCounter(this.#registry);
  readonly #accessLog = new AccessLog(this.#registry);
  /** Callbacks of sinks with open files. */
  readonly #reopened = new Set<() => void>();
  readonly #tracer: Tracer;
  readonly #secrets = new SecretTable();
  readonly #certificates = new Certificates(
    (reference) => this.#secrets.resolve(reference),
    () => this.#server?.endOutdated(this.drainMs),
    (ssl, reason) => log("certificate_unusable", { ssl, reason }),
  );
  #hosted: HostedGenerations | undefined;
  #shipping: Promise<Shipping> | undefined;
  #context: ResourceContext;
  readonly #heartbeat: Heartbeat | undefined;
  readonly #gcPauses = new GcPauses(this.#registry);
  /** Absent in a gateway of one process: control then has its metrics. */
  readonly #process: ProcessMetrics | undefined;
  #server: DataServer | undefined;
  #admission: Admission = UNTRUSTED_ADMISSION;

  /** @param heartbeat and number of a worker process; absent in a gateway of one process */
  constructor(heartbeat?: Heartbeat, worker = 0) {
    this.#heartbeat = heartbeat;
    const lag = new LoopLag(this.#registry, worker);
    if (heartbeat) this.#process = new ProcessMetrics(this.#registry, `worker-${worker}`);
    this.#registry.onCollect(() => lag.record());
    const gone = new RemovedRoutes((route) => this.#hosted?.live.hasRoute(route) ?? true, RETENTION_MS);
    this.#registry.onCollect(() =>
      this.#registry.forgetRoutes(gone.among(this.#registry.routes, performance.now())),
    );
    this.#tracer = new Tracer(
      (ids, recorder, x) => this.#tellTrace(ids, () => traceOf(x, recorder.recorded(), worker)),
      (end) => {
        this.#accessLog.beside = end;
      },
    );
    this.#context = {
      metrics: this.#registry,
      report: logReport,
      secret: (reference) => this.#secrets.resolve(reference),
      onReopen: (reopen) => {
        this.#reopened.add(reopen);
        return () => this.#reopened.delete(reopen);
      },
      worker,
      spoolDirectory: undefined,
    };
  }

  get #generations(): HostedGenerations {
    if (this.#hosted === undefined) throw new Error("no generation is active yet");
    return this.#hosted;
  }

  #boundSeries(bounds: SeriesBounds): void {
    this.#registry.bound(bounds, (metric) => log("metric_folded", { metric, series_limit: bounds.limit }));
  }

  /** Creates the host; the first generation brings the settings of spools. */
  #host({ spool }: WorkerSettings): HostedGenerations {
    this.#context = {
      ...this.#context,
      spoolDirectory: spool?.directory,
      spoolMaxBytes: spool?.maxBytes,
      spoolReserveBytes: spool?.reserveBytes,
      startedAt: spool?.startedAt,
    };
    return new HostedGenerations({
      // A shipper may ask for a secret of an earlier generation in vain; that is no fault of the one being loaded.
      resources: new SharedResources({
        ...this.#context,
        secret: (reference) => this.#secrets.needed(reference),
      }),
      poolsChanged: (poolKeys) => this.#server?.keepOnly(poolKeys),
    });
  }

  /** Loads a complete generation and makes it live. @throws with the reason if it cannot be loaded */
  async start(
    generation: number,
    content: GenerationContent,
    settings: WorkerSettings,
    secrets: Secrets,
  ): Promise<void> {
    if (this.#server === undefined) this.#boundSeries(settings.series ?? SERIES_BOUNDS);
    this.#secrets.start(secrets);
    // A certificate takes 0.6 ms: under the limit of a serving worker the watchdog would kill one with 2,000.
    this.#loading(() => {
      this.#certificates.apply(settings.tls);
      this.#certificates.renew(settings.certificateTexts ?? {});
      this.#certificates.start(certificatesIn(content.tables));
    });
    const hosted = (this.#hosted ??= this.#host(settings));
    this.#loading(() => hosted.start(generation, content.artifact()));
    this.apply(settings);
    this.#server ??= this.#open(settings);
  }

  /**
   * @param secrets undefined: unchanged
   * @param tls policy that checks changed certificates; undefined: the current one
   * @throws with the reason
   */
  async prepare(
    generation: number,
    delta: Delta,
    secrets: Secrets | undefined,
    tls?: TlsPolicy,
  ): Promise<void> {
    this.#secrets.prepare(secrets);
    this.#certificates.discard();
    try {
      await this.#prepareCertificates(delta, tls);
      await this.#generations.prepare(generation, delta);
      this.#refuseMissing();
    } catch (error) {
      this.discard();
      throw error;
    }
  }

  /** Dry run of `prepare`: opens and stores nothing. `texts`: new certificate files. @throws with the reason */
  async attempt(
    generation: number,
    delta: Delta,
    secrets: Secrets | undefined,
    tls: TlsPolicy | undefined,
    texts: CertificateTexts,
  ): Promise<void> {
    this.#secrets.prepare(secrets);
    try {
      await this.#prepareCertificates(delta, tls, texts);
      await this.#generations.attempt(generation, delta);
      this.#refuseMissing();
    } finally {
      this.#certificates.discard();
      this.#secrets.discard();
    }
  }

  /** Rejects a write with a missing secret; a start continues without it, so that requests are served. */
  #refuseMissing(): void {
    const { missing } = this.#secrets;
    if (missing !== undefined) throw new LoadError("GW6007", `a resource cannot be opened: ${missing}`);
  }

  async #prepareCertificates(
    { tables }: Delta,
    tls: TlsPolicy | undefined,
    texts?: CertificateTexts,
  ): Promise<void> {
    if (!tables?.[CERTIFICATES]) return;
    try {
      await runInSlices(this.#certificates.preparing(certificatesIn(tables), tls, texts));
    } catch (error) {
      if (error instanceof CertificateError) throw new LoadError("GW6008", error.message);
      throw error;
    }
  }

  activate(): void {
    this.#generations.activate();
    this.#certificates.activate();
    this.#secrets.activate();
  }

  discard(): void {
    this.#generations.discard();
    this.#certificates.discard();
    this.#secrets.discard();
  }

  apply({ drainMs, limits, admission, tls, certificateTexts = {}, accessLog }: WorkerSettings): void {
    this.#accessLog.apply(accessLog);
    this.#server?.limit(limits);
    this.drainMs = drainMs;
    // Open connections use the new ciphers if the certificates of their names can be presented.
    this.#loading(() => {
      this.#certificates.apply(tls);
      this.#certificates.renew(certificateTexts);
    });
    this.#admission = admissionOf(admission);
  }

  reopenLogs(): void {
    this.#accessLog.reopen();
    for (const reopen of this.#reopened) reopen();
  }

  listen(socket: BoundSocket, secure = false): Promise<unknown> {
    return this.#started().accept(socket as Parameters<DataServer["accept"]>[0], secure);
  }

  /** Listens in a gateway of one process. @returns the address, with the port that was free for port 0 */
  async listenOn(listener: ListenAddress, secure = false): Promise<{ host: string; port: number }> {
    const { host } = listener;
    try {
      return { host, port: (await this.#started().accept({ host, port: listener.port }, secure)).port };
    } catch (error) {
      throw listenError(listener, error);
    }
  }

  /** Closes this process's copies of the listeners; connections stay. */
  async stopAccepting(): Promise<void> {
    await this.#server?.stopAccepting();
  }

  async close(deadlineMs: number): Promise<void> {
    await this.#server?.close(deadlineMs);
    clearInterval(this.#reports);
    this.#gcPauses.close();
    this.#process?.close();
    await this.#hosted?.close(deadlineMs);
    await this.#accessLog.close(LAST_LINES_MS);
    await (await this.#shipping)?.finish(deadlineMs);
  }

  /**
   * Ships the spools as the elected process, those of other processes included.
   * @param deserted called if another process had taken over and has ended
   */
  ship(epoch: number, deserted: () => void): void {
    const { spoolDirectory } = this.#context;
    if (spoolDirectory === undefined) return;
    const context = this.#context;
    // The batch in flight ends first: the next shipper would send it again.
    this.#shipping = Promise.resolve(this.#shipping).then(async (before) => {
      await before?.stop(SHIPPER_STOP_MS);
      return new Shipping({ directory: spoolDirectory, epoch, openSink, context, deserted });
    });
  }

  /** Traces the requests of these orders, and no others. */
  trace(orders: readonly TraceOrder[]): void {
    this.#tracer.arm(orders);
  }

  stats(): { connections: number; requests: number } {
    return this.#server?.stats() ?? { connections: 0, requests: 0 };
  }

  /** Sends the activity to control each second with any, until `close`. */
  reportActivity(): void {
    this.#reports = setInterval(() => {
      const report = this.#activity.take();
      const { requests, bytesOut } = report.total;
      if (requests > 0 || bytesOut > 0) this.tellControl({ type: "activity", report });
    }, ACTIVITY_MS).unref();
  }

  /** Returns the counters of this process, cumulative since its start. */
  metrics(): MetricFamily[] {
    return this.#registry.snapshot();
  }

  /** Returns them once gauges are up to date. */
  collect(): Promise<MetricFamily[]> {
    return this.#registry.collect(LEVELS_MS);
  }

  /** Reports on the destinations of logs. @param users also which modules log to each */
  async logs(users: boolean): Promise<LogsReport> {
    const shipping = await this.#shipping?.catch(() => undefined);
    return logsReport(this.#registry, shipping, users ? this.#hosted?.resources() : undefined);
  }

  #started(): DataServer {
    if (!this.#server) throw new Error("no generation is active yet");
    return this.#server;
  }

  #open({ limits, series }: WorkerSettings): DataServer {
    return new DataServer({
      accessLog: this.#accessLog,
      tracer: this.#tracer,
      generation: () => this.#generations.live,
      onRequestStart: (started) => this.#generations.entered(started),
      onRequestEnd: (ended) => this.#generations.left(ended),
      limits,
      metrics: this.#registry,
      droppedLabels: series?.dropped ?? [],
      admission: () => this.#admission,
      presents: (serverName) => this.#certificates.find(serverName),
      nodeChanged: logNodeChange,
      report: (event, x, reason) => {
        const fields = {
          route: x.routeId,
          reason: reason instanceof Error ? reason.message : String(reason),
        };
        if (event === "module_failed") this.#tellFailure(fields, failureOf(x, reason));
        else logReport(event, fields);
      },
    });
  }

  /** Control adds file and line; without control the line has the config path. */
  #tellFailure(fields: Record<string, unknown>, { fields: more, parts }: Failure): void {
    const line = { ...fields, ...more };
    logReport("module_failed", line, (event, said) => {
      const { pid } = process;
      if (!this.tellControl({ type: "module_failed", fields: { pid, ...said }, parts })) log(event, said);
    });
  }

  /** Sends a trace; a failure must not affect the traced request. */
  #tellTrace(ids: readonly string[], make: () => Trace): void {
    try {
      this.tellControl({ type: "traced", ids, trace: make() });
    } catch (error) {
      logReport("trace_failed", { reason: messageOf(error) });
    }
  }

  #loading(load: () => void): void {
    if (this.#heartbeat) this.#heartbeat.loading(load);
    else load();
  }
}

/** Converts the settings of admission into their checks. */
export function admissionOf(settings: AdmissionSettings): Admission {
  const { trustedAddresses, realIpHeader, underscores, allowTrace, pathRules } = settings;
  // An empty address list matches all addresses; in this setting it means that no proxy is trusted.
  const trusts = trustedAddresses.length === 0 ? UNTRUSTED_ADMISSION.trusts : addressList(trustedAddresses);
  return { trusts, realIpHeader, underscores: underscores ?? undefined, allowTrace, pathRules };
}
