import type { Server as SocketServer } from "node:net";
import { join } from "node:path";
import { pluginAttention } from "../../plugins/control.js";
import { CompilerDiedError, compilerFault } from "../abi/compiler-died-error.js";
import { environmentReferences, resolvedText } from "../abi/environment.js";
import { StartError } from "../process/contribution.js";
import { StartStages } from "../process/starting.js";
import { OverviewStreams } from "./admin/overview.js";
import { adminServer } from "./admin/server.js";
import { AdminAccess } from "./admin-access.js";
import { appendAudit } from "./audit-log.js";
import { CertificateFiles } from "./certificate-files.js";
import { CertificatesInUse } from "./certificates.js";
import { Configuration } from "./configuration.js";
import { ConfigurationFiles } from "./configuration-files.js";
import type { ControlOptions } from "./control-options.js";
import { Expiry } from "./expiry.js";
import { tellFailedModule } from "./failed-modules.js";
import { beginGeneration, type SettingsOfStart } from "./first-generation.js";
import type { HardenedServer } from "./hardened-server.js";
import { Health, SCRAPE_MS } from "./health.js";
import { History } from "./history/history.js";
import { GatewayMetrics, timedCompiler } from "./metrics/gateway-metrics.js";
import { metricsServer } from "./metrics/server.js";
import { retainedIn } from "./metrics/worker-metrics.js";
import { namedCredentials } from "./named-credentials.js";
import { type OpenedStore, openStore } from "./opened-store.js";
import { type Known, Overview } from "./overview/overview.js";
import { Publication } from "./publication.js";
import { reloadedSettings } from "./reloaded.js";
import { builtNames, ResourceCatalog } from "./resource-catalog.js";
import { SecretMasking } from "./secret-masking.js";
import { Services } from "./services.js";
import type { Settings } from "./settings.js";
import { SettingsInForce } from "./settings-in-force.js";
import { ShipperElection } from "./shipper-election.js";
import { statusServer } from "./status.js";
import { type Keyring, storeKeys } from "./store/keyring.js";
import { lockStore, type StoreLock } from "./store/store-lock.js";
import { type Traces, tracesOf } from "./traces.js";
import type { SimulatedRequest } from "./which-route/generation-simulator.js";
import { RequestSimulator } from "./which-route/request-simulator.js";
import { linkServer } from "./worker-links.js";
import { type Committed, Workers } from "./workers.js";

/** Control plane of one gateway, without its processes: runs in a process of its own or embedded. */
export class Control {
  readonly workers: Workers;
  readonly admin: HardenedServer;
  readonly status: HardenedServer;
  readonly metrics: HardenedServer;
  readonly services: Services;
  readonly stages: StartStages;
  #links: SocketServer | undefined;
  #lock: StoreLock | undefined;
  readonly #counters: GatewayMetrics;
  readonly #options: ControlOptions;
  /** Names of plugins; those of packages once the compiler has loaded them. */
  readonly #plugins = new Set<string>();
  readonly #opened: OpenedStore;
  readonly #settings: SettingsInForce;
  readonly #access: AdminAccess;
  readonly #election: ShipperElection | undefined;
  readonly #publication: Publication;
  readonly #configuration: Configuration;
  readonly #files: ConfigurationFiles;
  readonly #expiry: Expiry;
  readonly #overview: Overview;
  readonly #streams: OverviewStreams;
  readonly #trials = new RequestSimulator();
  readonly #traces: Traces;
  readonly #policy = () => this.#settings.current.tlsPolicy;
  readonly #certificateFiles: CertificateFiles;
  readonly #certificates = new CertificatesInUse(
    () => this.#opened.saved.content.tables,
    (chain) => this.#certificateFiles.pairOf(chain),
  );
  /** Reason why the last write failed through no fault of the client; undefined after a stored one. */
  #failedWrite: string | undefined;

  private constructor(
    options: ControlOptions & { keys: Keyring; counters: GatewayMetrics },
    opened: OpenedStore,
  ) {
    const { settings, compiler, origin, runDirectory, spoolDirectory = null, counters } = options;
    this.#counters = counters;
    const { saved, state } = opened;
    this.#options = options;
    this.stages = options.stages ?? new StartStages(() => {});
    this.#opened = opened;
    this.#certificateFiles = new CertificateFiles(origin.directory, () => this.#sendSettings(), this.#policy);
    this.#settings = new SettingsInForce(settings, spoolDirectory, runDirectory, this.#certificateFiles);
    this.#access = new AdminAccess(settings, [options.keyDirectory ?? runDirectory, runDirectory]);
    this.#election = spoolDirectory === null ? undefined : new ShipperElection(spoolDirectory);
    const retained = retainedIn(runDirectory);
    this.workers = new Workers(options.workers, () => this.#committed(), retained, this.#election);
    const tell = () => this.services.publish();
    this.#publication = new Publication(saved, this.workers, state.generation, tell, this.#certificateFiles);
    const hashOf = (file: string) => saved.content.hashOf(file);
    this.workers.moduleFailed = (failed) => void tellFailedModule(failed, { origin, compiler, hashOf });
    this.services = this.#servicesOf(settings);
    const built = origin.kind === "dist" ? origin.artifact : undefined;
    const resources = new ResourceCatalog(state.resources, built && builtNames(built));
    const credentials = namedCredentials(origin, compiler, resources);
    this.#configuration = new Configuration(
      {
        ...{ resources, compiler, publication: this.#publication, store: opened.store },
        settingsOf: (deployment) => reloadedSettings(deployment, options),
        history: new History(opened.store, () => this.#settings.current.history),
        ...{ credentials, redaction: new SecretMasking(options.keys, (item) => credentials.of(item)) },
        onWrite: ({ outcome, reason, stored }) => {
          counters.wrote(outcome);
          if (outcome === "failed" || stored) this.#failedWrite = reason;
        },
      },
      state.revision,
      built,
    );
    this.#files = this.#filesOf(options);
    this.#expiry = new Expiry(this.#configuration);
    const health = this.#healthOf(options, counters);
    this.#overview = this.#overviewOf(options, health);
    this.#streams = new OverviewStreams(this.#overview);
    this.#traces = tracesOf(this.workers, this.#configuration, compiler, () => this.generation);
    this.admin = this.#adminServer();
    this.status = statusServer(health);
    const uri = () => this.#settings.current.metrics?.uri ?? "";
    this.metrics = metricsServer({ uri, collect: health.collect });
    this.#limitConnections(settings);
  }

  /** Opens the store, compiles, and prepares a generation; does not listen yet. @throws StartError */
  static async start(options: ControlOptions): Promise<Control> {
    const { storeDirectory } = options;
    if (storeDirectory !== null) options.stages?.enter("store");
    const lock = storeDirectory === null ? undefined : await lockStore(storeDirectory);
    try {
      return await Control.#withLock(options, lock);
    } catch (error) {
      lock?.release();
      throw error instanceof CompilerDiedError ? new StartError(compilerFault(error)) : error;
    }
  }

  static async #withLock(options: ControlOptions, lock: StoreLock | undefined): Promise<Control> {
    const { origin, runDirectory } = options;
    const counters = new GatewayMetrics();
    const compiler =
      options.compiler && timedCompiler(options.compiler, (...took) => counters.compiled(...took));
    const keys = options.keys ?? storeKeys(options.storeDirectory, options.settings.keyring);
    const opened = openStore(options.storeDirectory, runDirectory, keys, options.storeFailed);
    const control = new Control({ ...options, keys, compiler, counters }, opened);
    control.#lock = lock;
    control.#failedWrite = opened.refused;
    const configuration = control.#configuration;
    const publication = control.#publication;
    const begun = await beginGeneration({
      origin,
      compiler,
      runDirectory,
      opened,
      configuration,
      publication,
      stages: control.stages,
      settings: options.restarted === true ? control.#settingsRead(options) : undefined,
      early:
        options.serveEarly === true
          ? { secretKey: keys.secretKey, connect: () => control.listenForWorkers() }
          : undefined,
    });
    await control.#learnPlugins();
    control.#files.began(begun);
    if (origin.kind === "dist") configuration.resources.setStatic(() => origin.resources);
    else if (begun.compiled) configuration.resources.changeStatic(begun.compiled.statics);
    control.#expiry.start(opened.refused !== undefined);
    control.#shareTicketKeys();
    return control;
  }

  async listenForWorkers(): Promise<void> {
    if (this.#links !== undefined) return;
    this.#links = await linkServer(this.#options.runDirectory, this.workers, this.#options.replace);
    await this.services.listen(this.#options.runDirectory);
  }

  /** Reads files and settings again (SIGHUP), certificates first; an invalid one changes nothing. */
  reload(): Promise<boolean> {
    this.#certificateFiles.look();
    return this.#files.reload();
  }

  /** The last known good generation runs instead of the configured one. */
  get isStale(): boolean {
    return this.#files.stale !== undefined;
  }

  get generation(): number {
    return this.#opened.saved.content.number;
  }

  /** Learns none if the compiler failed. */
  async #learnPlugins(): Promise<void> {
    const found = await this.#options.compiler?.plugins().catch(() => []);
    for (const { name } of found ?? []) this.#plugins.add(name);
  }

  #filesOf(options: ControlOptions): ConfigurationFiles {
    const { origin, compiler, environment } = options;
    return new ConfigurationFiles({
      ...{ origin, compiler, environment, saved: this.#opened.saved, configuration: this.#configuration },
      apply: (settings) => this.#apply(settings),
      compiledFrom: (...noted) => this.#publication.noteInputs(...noted),
      reloaded: (outcome) => {
        this.#audit({ event: "reload", ...outcome });
        if (outcome.ok) void this.#learnPlugins();
        options.reloaded?.(outcome.ok);
      },
    });
  }

  #healthOf({ workers, launcher, serving }: ControlOptions, counters: GatewayMetrics): Health {
    return new Health({
      ...{ workers: this.workers, workersExpected: workers, services: this.services, counters },
      generation: () => this.generation,
      hasRoute: (id) => this.#opened.saved.content.routes.has(id),
      certificates: this.#certificates.dates,
      certificateFiles: () => this.#certificateFiles.faults,
      stale: () => this.#files.stale,
      lastReload: () => this.#files.lastReload,
      starting: () => this.stages.current,
      failedWrite: () => this.#failedWrite,
      launcher: launcher ?? (() => ({})),
      serving: serving ?? (() => undefined),
    });
  }

  #overviewOf({ workers: expected, storeDirectory, compiler }: ControlOptions, health: Health): Overview {
    const known = (): Known => {
      const { current } = this.#settings;
      const reasons = health.reasons();
      return {
        ...{ generation: this.generation, workers: this.workers.summary(), workers_expected: expected },
        ...{ ready: reasons.length === 0, reasons, warnings: health.warnings() },
        read_only: this.#files.readOnly ?? null,
        ...{ services: this.services.summaries, last_reload: this.#files.lastReload ?? null },
        ...{ quarantined_routes: this.workers.quarantinedRoutes, history: this.#configuration.history.size },
        storeFile: storeDirectory === null ? null : join(storeDirectory, "store.lmdb"),
        spoolBytes: this.#options.spoolDirectory ? current.spool.maxBytes : null,
      };
    };
    const overview = new Overview({
      known,
      families: () => this.workers.metrics.collect(SCRAPE_MS),
      certificates: this.#certificates.dates,
      findings: compiler && (() => compiler.diagnosticSummary()),
      attention: pluginAttention,
      upstreamOf: (route) => this.#opened.saved.content.routes.get(route)?.upstream,
    });
    this.workers.active = (report) => overview.report(report);
    return overview;
  }

  #adminServer(): HardenedServer {
    return adminServer({
      configuration: this.#configuration,
      plugins: this.#plugins,
      now: () => Math.floor(Date.now() / 1000),
      compiler: this.#options.compiler,
      readOnly: () => this.#files.readOnly,
      adopt: (name, dryRun) => this.#files.adopt(name, dryRun),
      unreadable: this.#opened.unusable,
      overview: this.#overview,
      streams: this.#streams,
      certificates: this.#certificates,
      logs: {
        reports: () => this.workers.logs(SCRAPE_MS),
        families: () => this.workers.metrics.collect(SCRAPE_MS),
        spool: () => this.#spool(),
      },
      traces: this.#traces,
      whichRoute: { runner: this.#trials, running: () => this.#tried() },
      generation: () => this.generation,
      authentication: () => this.#access.authentication,
      allowed: (address) => this.#access.allows(address),
      browser: () => this.#access.browser,
      dashboard: () => this.#settings.current.adminUi,
      audit: (record) => this.#audit(record),
      services: this.services,
      nodes: {
        tables: () => this.#opened.saved.content.upstreams,
        families: () => this.workers.metrics.collect(SCRAPE_MS),
        workers: () => this.workers.summary().length,
        environment: this.#options.environment,
      },
    });
  }

  #spool(): { directory: string; max_bytes: number } | null {
    const { spoolDirectory: directory } = this.#options;
    return directory ? { directory, max_bytes: this.#settings.current.spool.maxBytes } : null;
  }

  #tried(): Omit<SimulatedRequest, "asked" | "live" | "credentials"> | undefined {
    const { saved } = this.#opened;
    const { admission, limits, data, tls } = this.#settings.current;
    if (saved.content.number === 0) return undefined;
    return {
      ...{ generation: saved.content.number, log: saved.whole(), plugins: saved.plugins },
      ...{ admission, limits, ports: { plain: data[0]?.port ?? 0, secure: tls[0]?.port ?? 443 } },
    };
  }

  #audit(record: Readonly<Record<string, unknown>>): void {
    const { auditLog } = this.#settings.current;
    if (auditLog !== null) appendAudit(auditLog, record);
  }

  #servicesOf({ services }: Settings): Services {
    return new Services(services, {
      table: (plugin) => this.#opened.saved.content.tables?.[plugin],
      resolve: (reference) =>
        environmentReferences(reference).length > 0
          ? resolvedText(reference, this.#options.environment)
          : this.#publication.secrets[reference],
      adminKeys: () => this.#access.keys.map(({ key }) => key),
      metrics: this.workers.metrics,
    });
  }

  #committed(): Committed | undefined {
    const committed = this.#publication.committed;
    return committed && { ...committed, settings: this.#settings.ofWorkers };
  }

  #sendSettings(): void {
    this.workers.sendSettings(this.#settings.ofWorkers);
  }

  #shareTicketKeys(): void {
    // Workers that outlived a control still have its key.
    void this.workers.whenReady().then(() => this.#sendSettings());
    this.#settings.rotateTicketKeys(() => this.#sendSettings());
  }

  #settingsRead(options: ControlOptions): SettingsOfStart {
    return {
      read: (deployment) => reloadedSettings(deployment, options),
      take: (settings) => this.#apply(settings),
    };
  }

  #apply(settings: Settings): void {
    this.#settings.replace(settings);
    const { current } = this.#settings;
    this.#access.apply(current);
    const services = this.services.update(settings.services);
    // Before workers receive them: after a kill, the next control must not start with older settings.
    this.#options.applied?.({ ...current, services });
    this.#limitConnections(current);
    // Other ciphers may make other pairs presentable.
    this.#certificateFiles.look();
    this.#sendSettings();
  }

  #limitConnections({ adminConnections }: Settings): void {
    for (const server of [this.admin, this.status, this.metrics]) server.limitConnections(adminConnections);
  }

  /** Stops listening, finishes the pending write and closes the store. */
  async close(): Promise<void> {
    this.#expiry.stop();
    this.#certificateFiles.close();
    this.#settings.close();
    this.#election?.close();
    this.#trials.close();
    this.#traces.close();
    this.#streams.close();
    this.#overview.close();
    this.#counters.close();
    for (const server of [this.admin, this.status, this.metrics]) {
      server.close();
      server.closeIdleConnections();
    }
    this.#links?.close();
    this.services.close();
    await this.#configuration.settled();
    this.#opened.saved.close();
    await this.#opened.store.close();
    this.#lock?.release();
    await this.#options.compiler?.close();
  }
}
