import type { Artifact, Delta } from "../../abi/generation.js";
import type { SharedResource } from "../../abi/resource.js";
import { runInSlices, runToCompletion } from "../../http/time-slice.js";
import type { LiveGeneration } from "./contract.js";
import { Generation, Release } from "./generation.js";
import { LiveTables } from "./live-tables.js";
import { type Environment, LoadError } from "./load.js";
import {
  discardPrepared,
  type PreparationContext,
  type PreparedGeneration,
  prepareGeneration,
} from "./preparation.js";
import type { SharedResources } from "./shared-resources.js";

/** Drain timeout in ms of resources that only one generation uses: for its last requests, and again for delivery. */
const DRAIN_MS = 10_000;

export interface GenerationsOptions {
  /** Values of `${{VAR}}` in node hosts. Default: the process's. */
  environment?: Environment;
  resources: SharedResources;
  /** Called when no node uses some connection pool any more, and the requests that could use it are over. */
  poolsChanged?: (poolKeys: ReadonlySet<string>) => void;
}

/**
 * Generations of one process. One is live; older ones exist while they have requests in flight. An update is
 * prepared next to the live one and activated between two requests.
 */
export class HostedGenerations {
  #current: Generation | undefined;
  /** Generations before the live one that have requests in flight, oldest first. */
  readonly #older: Generation[] = [];
  #prepared: PreparedGeneration | undefined;
  #tables = new LiveTables();
  readonly #resources: SharedResources;
  readonly #environment: Environment;
  readonly #poolsChanged: (poolKeys: ReadonlySet<string>) => void;

  constructor({ environment = process.env, resources, poolsChanged = () => {} }: GenerationsOptions) {
    this.#resources = resources;
    this.#environment = environment;
    this.#poolsChanged = poolsChanged;
  }

  /** @throws Error before the first `start` */
  get live(): Generation {
    if (this.#current === undefined) throw new Error("no generation was started");
    return this.#current;
  }

  get poolKeys(): ReadonlySet<string> {
    return this.#tables.poolKeys;
  }

  /** Resources of the live generation, by module id ("route:shop"). */
  *resources(): Iterable<[moduleId: string, resource: SharedResource]> {
    for (const [moduleId, { current }] of this.#tables.modules)
      for (const resource of current.resources ?? []) yield [moduleId, resource];
  }

  /** @throws LoadError if it cannot be loaded; then nothing has changed */
  start(number: number, artifact: Artifact): void {
    const tables = new LiveTables();
    const context = { ...this.#context(), live: undefined, tables };
    const prepared = runToCompletion(prepareGeneration(context, number, wholeDelta(artifact)));
    this.discard();
    const given = [...this.#tables.modules.values()].map(({ current }) => current);
    const before = this.#current;
    this.#tables = tables;
    this.#apply(prepared);
    this.#succeed(prepared, before, [
      ...given.map((module) => new Release(() => this.#resources.release(module.resources ?? [], DRAIN_MS))),
      new Release(() => this.#poolsChanged(this.poolKeys)),
    ]);
  }

  /**
   * Prepares `delta`; an earlier prepared generation is discarded.
   * @throws LoadError (GW6001 to GW6007) if it cannot be loaded; the live generation is unchanged
   */
  async prepare(number: number, delta: Delta): Promise<void> {
    this.discard();
    const { live } = this;
    const prepared = await runInSlices(prepareGeneration(this.#context(), number, delta));
    if (this.#current !== live || this.#prepared !== undefined) {
      discardPrepared(prepared, this.#resources);
      throw new LoadError(
        "GW6004",
        `generation ${number} was prepared for ${live.number}, which is no longer live`,
      );
    }
    this.#prepared = prepared;
  }

  /** Dry run of `prepare`: throws the same errors, as far as they show without opening resources. */
  async attempt(number: number, delta: Delta): Promise<void> {
    await runInSlices(prepareGeneration({ ...this.#context(), resources: UNOPENED }, number, delta));
  }

  /**
   * Activates the prepared generation in one step between two requests.
   * @throws LoadError GW6004 if none is prepared
   */
  activate(): void {
    const { live } = this;
    const prepared = this.#prepared;
    if (prepared === undefined) throw new LoadError("GW6004", "no generation is prepared");
    this.#prepared = undefined;
    this.#succeed(prepared, live, this.#apply(prepared));
  }

  discard(): void {
    if (this.#prepared !== undefined) discardPrepared(this.#prepared, this.#resources);
    this.#prepared = undefined;
  }

  /** Counts a request that starts on the live generation. */
  entered(generation: LiveGeneration): void {
    (generation as Generation).inFlight++;
  }

  /** Counts a request whose last byte is sent and logged. */
  left(generation: LiveGeneration): void {
    const one = generation as Generation;
    if (--one.inFlight === 0 && one !== this.#current) this.#retire(one);
  }

  /** Closes all resources at the end of the process. */
  async close(deadlineMs: number): Promise<void> {
    this.discard();
    await this.#resources.close(deadlineMs);
  }

  #context(): PreparationContext {
    const live = this.#current;
    const tables = this.#tables;
    const resources = this.#resources;
    const environment = this.#environment;
    return { live, tables, balancers: tables, resources, environment };
  }

  /** @returns releases to run once nobody uses the previous generation */
  #apply({ delta, modules, upstreams, metadata }: PreparedGeneration): Release[] {
    const tables = this.#tables;
    const resources = this.#resources;
    const retired = [];
    let poolsLost = false;
    for (const [key, upstream] of upstreams) poolsLost = tables.putUpstream(key, upstream) || poolsLost;
    for (const [moduleId, module] of modules) retired.push(tables.putModule(moduleId, module));
    for (const id of delta.routes.remove) tables.removeRoute(id);
    for (const row of delta.routes.put) tables.putRoute(row);
    for (const key of delta.upstreams.remove)
      if (!upstreams.has(key)) poolsLost = tables.removeUpstream(key) || poolsLost;
    for (const [moduleId, module] of metadata.put) tables.metadata.set(moduleId, module);
    tables.metadataRows = metadata.rows;
    for (const moduleId of delta.modules.remove) {
      if (!metadata.put.has(moduleId)) tables.metadata.delete(moduleId);
      if (modules.has(moduleId)) continue;
      retired.push(tables.modules.get(moduleId)?.current);
      tables.removeModule(moduleId);
    }
    const given = retired.flatMap((module) => module?.resources ?? []);
    return [
      ...(given.length === 0 ? [] : [new Release(() => resources.release(given, DRAIN_MS))]),
      ...(poolsLost ? [new Release(() => this.#poolsChanged(this.poolKeys))] : []),
    ];
  }

  #succeed(
    { number, delta, globalRules, metadata }: PreparedGeneration,
    before: Generation | undefined,
    releases: readonly Release[],
  ): void {
    const next = new Generation(number, delta.planHash, globalRules, this.#tables, metadata.byPlugin);
    this.#current = next;
    if (before === undefined) return;
    this.#older.push(before);
    before.releases = releases;
    if (before.inFlight === 0) this.#retire(before);
    if (releases.every(({ done }) => done)) return;
    setTimeout(() => {
      for (const release of releases) release.run();
    }, DRAIN_MS).unref();
  }

  /** Removes a generation without requests; its releases move to the next older one that still has some. */
  #retire(generation: Generation): void {
    const at = this.#older.indexOf(generation);
    const older = this.#older[at - 1];
    this.#older.splice(at, 1);
    if (older === undefined) for (const release of generation.releases) release.run();
    else older.releases = [...older.releases.filter(({ done }) => !done), ...generation.releases];
  }
}

/** Opens nothing: a logger would create its spool on disk. */
const UNOPENED: PreparationContext["resources"] = { retain: () => {}, release: () => {} };

function wholeDelta({ routes, upstreams, modules, ...others }: Artifact): Delta {
  return {
    ...others,
    routes: { put: routes, remove: [] },
    upstreams: { put: upstreams, remove: [] },
    modules: { put: modules, remove: [] },
  };
}
