import type { Server as SocketServer } from "node:net";
import { environmentReferences, resolvedText } from "../abi/environment.js";
import type { Artifact } from "../abi/generation.js";
import type { MetricFamily } from "../abi/metrics.js";
import { StartError } from "../process/contribution.js";
import type { GenerationContent } from "../process/generation-log.js";
import { DRAIN_MS } from "../process/launch-plan.js";
import { log, printReport } from "../process/log.js";
import type { Secrets, WorkerSettings } from "../process/messages.js";
import { adminServer } from "./admin/server.js";
import { AdminAccess } from "./admin-access.js";
import type { CompiledWhole, ControlCompiler } from "./compiler.js";
import { type Adopted, Configuration, type Reloaded, type ResourceName } from "./configuration.js";
import { deltaTo, isEmpty, mergeArtifacts } from "./delta.js";
import { encryptOpenSecrets } from "./encrypt-at-rest.js";
import { Expiry } from "./expiry.js";
import { goOnWith } from "./last-known-good.js";
import type { Origin } from "./launch-settings.js";
import { GatewayMetrics } from "./metrics/gateway-metrics.js";
import { retainedIn, startOf } from "./metrics/retained.js";
import { metricsServer } from "./metrics/server.js";
import { type OpenedStore, openStore } from "./opened-store.js";
import type { OwnServer } from "./own-listener.js";
import { otherPlugin, writeBundles } from "./plugin-bundles.js";
import { Publication } from "./publication.js";
import { Redaction } from "./redaction.js";
import { Resources } from "./resources.js";
import { namesIn } from "./route-holds.js";
import { Services } from "./services.js";
import { type Settings, settingsOf } from "./settings.js";
import { ShipperElection } from "./shipper-election.js";
import { statusServer } from "./status.js";
import type { Keyring } from "./store/keyring.js";
import { StoreError } from "./store/store.js";
import { lockStore, type StoreLock } from "./store/store-lock.js";
import { storeKeys } from "./store-keys.js";
import { linkServer } from "./worker-links.js";
import { Workers } from "./workers.js";

export interface ControlOptions {
  settings: Settings;
  origin: Origin;
  runDirectory: string;
  /** Null: nothing is kept (embedding, read-only builds). */
  storeDirectory: string | null;
  /** Absent or null: no spools are kept. */
  spoolDirectory?: string | null;
  /** Null: not installed here. */
  compiler: ControlCompiler | null;
  /** Default: those of the store and the settings. */
  keys?: Keyring;
  /** Workers that make the gateway ready. */
  workers: number;
  /** Ends a worker process. */
  replace: (pid: number) => void;
  /** What readiness tells of the launcher. */
  launcher?: () => object;
  environment: Readonly<Record<string, string | undefined>>;
}

/** What a start decided. */
interface Decided {
  compiled: CompiledWhole | undefined;
  /** Why the last known good generation runs, or undefined. */
  stale: string | undefined;
}

/** The control plane of one gateway, without its processes: works in a process of its own and embedded. */
export class Control {
  readonly workers: Workers;
  readonly admin: OwnServer;
  readonly status: OwnServer;
  readonly metrics: OwnServer;
  readonly services: Services;
  #links: SocketServer | undefined;
  readonly #election: ShipperElection | undefined;
  readonly #options: ControlOptions;
  readonly #opened: OpenedStore;
  readonly #publication: Publication;
  readonly #configuration: Configuration;
  readonly #expiry: Expiry;
  readonly #counters = new GatewayMetrics();
  readonly #access: AdminAccess;
  #settings: Settings;
  #hold: StoreLock | undefined;
  /** Why what runs is not what is configured. */
  #stale: string | undefined;
  /** Why no reload mends that, or undefined. */
  #outdated: string | undefined;

  private constructor(
    options: ControlOptions & { keys: Keyring },
    opened: OpenedStore,
    plugins: ReadonlySet<string>,
  ) {
    const { settings, compiler, origin } = options;
    this.#options = options;
    this.#settings = settings;
    this.#opened = opened;
    this.#access = new AdminAccess(settings, options.storeDirectory ?? options.runDirectory);
    const { spoolDirectory = null } = options;
    this.#election = spoolDirectory === null ? undefined : new ShipperElection(spoolDirectory);
    const retained = retainedIn(options.runDirectory);
    this.workers = new Workers(options.workers, () => this.#committed(), retained, this.#election);
    const { generation } = opened.state;
    this.#publication = new Publication(opened.saved, this.workers, generation, () =>
      this.services.publish(),
    );
    this.services = this.#servicesOf(settings);
    const resources = new Resources(opened.state.resources);
    if (origin.kind === "dist") resources.setBuilt(origin.artifact);
    this.#configuration = new Configuration(
      {
        resources,
        compiler,
        publication: this.#publication,
        store: opened.store,
        masks: new Redaction(options.keys),
        wrote: (outcome) => this.#counters.wrote(outcome),
      },
      opened.state.revision,
      origin.kind === "dist" ? origin.artifact : undefined,
    );
    this.#expiry = new Expiry(this.#configuration);
    const now = () => Math.floor(Date.now() / 1000);
    this.admin = adminServer({
      configuration: this.#configuration,
      plugins,
      now,
      compiler,
      readOnly: () => this.#readOnly(),
      adopt: (name, dryRun) => this.#adopt(name, dryRun),
      unreadable: opened.unusable,
      authentication: () => this.#access.authentication,
      allowed: (address) => this.#access.allows(address),
      browser: () => this.#access.browser,
      services: this.services,
    });
    this.status = statusServer({
      notReady: () => this.#notReady(),
      details: () => this.#details(),
    });
    this.metrics = metricsServer({
      uri: () => this.#settings.metrics?.uri ?? "",
      collect: () => this.#collect(),
    });
    this.#limitConnections(settings);
  }

  /**
   * Opens the store, compiles, and has a generation ready for workers. Servers do not listen yet.
   * @throws StartError
   */
  static async start(options: ControlOptions): Promise<Control> {
    const { storeDirectory } = options;
    const hold = storeDirectory === null ? undefined : await lockStore(storeDirectory);
    try {
      return await Control.#holding(options, hold);
    } catch (error) {
      hold?.release();
      throw error;
    }
  }

  static async #holding(options: ControlOptions, hold: StoreLock | undefined): Promise<Control> {
    const keys = options.keys ?? storeKeys(options.storeDirectory, options.settings.keyring);
    const opened = openStore(options.storeDirectory, options.runDirectory, keys);
    const plugins = new Set<string>();
    const control = new Control({ ...options, keys }, opened, plugins);
    control.#hold = hold;
    const { compiled, stale } = await control.#begin();
    // Those of packages are there from now on.
    for (const { name } of (await options.compiler?.plugins()) ?? []) plugins.add(name);
    control.#stale = stale;
    if (compiled) control.#configuration.resources.setStatic(compiled.statics);
    control.#expiry.start();
    return control;
  }

  /** Listens for workers, and for services, in the run directory. */
  async listenForWorkers(): Promise<void> {
    this.#links = await linkServer(this.#options.runDirectory, this.workers, this.#options.replace);
    await this.services.listen(this.#options.runDirectory);
  }

  async #begin(): Promise<Decided> {
    const { origin } = this.#options;
    const { saved, state, unusable } = this.#opened;
    const last = saved.restore(unusable === undefined ? state.generation : undefined);
    if (unusable === undefined)
      await encryptOpenSecrets(this.#opened, this.#configuration, this.#options.compiler);
    const compiled = unusable === undefined ? await this.#compileAll() : undefined;
    const { bundles = [] } = origin.kind === "dist" ? origin : (compiled ?? {});
    const made = writeBundles(this.#options.runDirectory, bundles);
    saved.plugins = made;
    const artifact =
      origin.kind === "dist" ? mergeArtifacts(origin.artifact, compiled?.artifact) : compiled?.artifact;
    const secrets = Object.fromEntries(compiled?.secrets ?? []);
    const refused = artifact && (await this.#beginWith(artifact, secrets, last));
    if (artifact && refused === undefined) return { compiled, stale: undefined };
    const reason = refused ?? unusable ?? compiled?.report ?? "";
    if (!last) throw new StartError(reason);
    saved.plugins = goOnWith(last, { saved, made, runDirectory: this.#options.runDirectory, reason });
    const other = compiled && otherPlugin(saved.plugins, made);
    if (other !== undefined)
      this.#outdated = `the plugin "${other}" is another one than in the generation that runs; restart the gateway`;
    // A configuration that does not compile may still know secrets that the saved generation names.
    await this.#publication.begin(last, secrets);
    log("last_known_good", { generation: last.number, reason });
    return { compiled, stale: `the last known good generation (${last.number}) is running: ${reason}` };
  }

  /** @returns why the store did not take it, or undefined */
  async #beginWith(
    artifact: Artifact,
    secrets: Secrets,
    last: GenerationContent | undefined,
  ): Promise<string | undefined> {
    // Nothing has changed since: workers that outlived the last control are not disturbed.
    const same = last?.abi === artifact.abi && last.planHash === artifact.planHash;
    if (last && same && isEmpty(deltaTo(last, artifact))) {
      await this.#publication.begin(last, secrets);
      return undefined;
    }
    const { revision } = this.#opened.state;
    try {
      await this.#publication.beginWith(artifact, secrets, (generation) =>
        this.#opened.store.commit({ put: [], remove: [], generation, revision }),
      );
      return undefined;
    } catch (error) {
      if (error instanceof StoreError) return error.message;
      throw error;
    }
  }

  async #compileAll(): Promise<CompiledWhole | undefined> {
    const { compiler, origin } = this.#options;
    const stored = this.#opened.state.resources.map(({ kind, id, value }) => ({ kind, id, value }));
    if (!compiler || (origin.kind === "dist" && !origin.writable)) return undefined;
    return compiler.load(origin.kind === "files" ? origin.paths : [], stored);
  }

  /** Reads files and settings again (SIGHUP). What does not compile changes nothing and is reported. */
  async reload(): Promise<boolean> {
    const { origin, compiler } = this.#options;
    if (origin.kind === "dist" || !compiler) return true;
    if (this.#outdated !== undefined) return this.#reloaded(refusedReload(this.#outdated), origin.directory);
    const reloaded =
      this.#stale === undefined
        ? await this.#configuration.reload(origin.paths)
        : await this.#configuration.recover(origin.paths, this.#opened.saved);
    return this.#reloaded(reloaded, origin.directory);
  }

  /** Lets the files take over a resource of the store. */
  async #adopt(name: ResourceName, dryRun: boolean): Promise<Adopted> {
    const { origin } = this.#options;
    if (origin.kind === "dist") return "absent";
    const saved = this.#stale === undefined ? undefined : this.#opened.saved;
    if (this.#outdated !== undefined) return refusedReload(this.#outdated);
    if (saved && dryRun) return refusedReload(this.#stale ?? "");
    const adopted = await this.#configuration.adopt(origin.paths, name, saved, dryRun);
    if (adopted !== "absent" && !dryRun) this.#reloaded(adopted, origin.directory);
    return adopted;
  }

  #reloaded({ ok, reason, report, deployment }: Reloaded, directory: string): boolean {
    printReport(report);
    log(ok ? "reloaded" : "reload_refused", ok ? {} : { reason });
    if (!ok) return false;
    this.#stale = undefined;
    this.#apply(settingsOf(deployment, directory, this.#options.environment));
    return true;
  }

  /** Takes the settings of a reload; listeners, workers and store stay as they are until a restart. */
  #apply(settings: Settings): void {
    const fixed = ["data", "admin", "status", "metrics", "workers", "store", "spool"] as const;
    const changed = fixed.filter(
      (name) => JSON.stringify(settings[name]) !== JSON.stringify(this.#settings[name]),
    );
    if (changed.length > 0) log("restart_needed", { settings: changed });
    this.#settings = settings;
    this.#access.apply(settings);
    this.#limitConnections(settings);
    this.workers.sendSettings(this.#workerSettings(settings));
    this.services.update(settings.services);
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

  #limitConnections({ adminConnections }: Settings): void {
    for (const server of [this.admin, this.status, this.metrics]) server.limitConnections(adminConnections);
  }

  /** Number of the committed generation. */
  get generation(): number {
    return this.#opened.saved.content.number;
  }

  #committed() {
    const { saved } = this.#opened;
    const { number, planHash } = saved.content;
    if (number === 0) return undefined;
    return {
      number,
      planHash,
      log: () => saved.whole(),
      settings: this.#workerSettings(this.#settings),
      secrets: this.#publication.workerSecrets,
      plugins: saved.plugins,
      ...namesIn(saved.content),
    };
  }

  #workerSettings({ limits, admission, spool }: Settings): WorkerSettings {
    const { spoolDirectory: directory = null, runDirectory } = this.#options;
    const known = { drainMs: DRAIN_MS, limits, admission };
    return directory === null
      ? known
      : { ...known, spool: { ...spool, directory, ...startOf(runDirectory) } };
  }

  #readOnly(): string | undefined {
    const { origin, compiler } = this.#options;
    if (!compiler) return "the configuration is read-only here: the compiler is not installed";
    if (origin.kind === "dist" && !origin.writable) {
      return "the configuration is read-only: this gateway runs a build, start it with --writable to change it";
    }
    return this.#stale;
  }

  #details(): object {
    const { lastStall, heldRoutes } = this.workers;
    return {
      generation: this.generation,
      workers: this.workers.summary(),
      ...this.services.summaries,
      ...(lastStall && { last_stall: lastStall }),
      ...(heldRoutes.length > 0 && { held_routes: heldRoutes }),
      ...this.#options.launcher?.(),
    };
  }

  async #collect(): Promise<MetricFamily[]> {
    const workers = this.workers.summary();
    this.#counters.observe({
      generation: this.generation,
      workers,
      workersExpected: this.#options.workers,
      ready: this.#notReady() === undefined,
      services: this.services.levels,
      heldRoutes: this.workers.heldRoutes.length,
      stalls: this.workers.stalls,
    });
    return [...this.#counters.registry.snapshot(), ...(await this.workers.metrics.collect(SCRAPE_MS))];
  }

  #notReady(): string | undefined {
    return this.#stale ?? this.workers.lag();
  }

  /** Stops listening, finishes the write under way, closes the store. */
  async close(): Promise<void> {
    this.#expiry.stop();
    this.#election?.close();
    for (const server of [this.admin, this.status, this.metrics]) {
      server.close();
      server.closeIdleConnections();
    }
    this.#links?.close();
    this.services.close();
    await this.#configuration.settled();
    this.#opened.saved.close();
    await this.#opened.store.close();
    this.#hold?.release();
    await this.#options.compiler?.close();
  }
}

/** While the compiler does not know what runs, files cannot be tried without being taken, and need the plugins that run. */
function refusedReload(reason: string): Reloaded {
  return { ok: false, reason, report: "", diagnostics: [], deployment: null };
}

/** A worker that does not tell its counters by then enters the page with those it told last. */
const SCRAPE_MS = 500;
