import type { Artifact, Delta, UpstreamTable } from "../../runtime/abi/generation.js";
import { canonicalHash } from "../../runtime/abi/hash.js";
import type { PluginTable, PluginTables } from "../../runtime/abi/plugin-tables.js";
import { ABI } from "../../runtime/abi/version.js";
import { Fingerprint } from "../4-plan/fingerprint.js";
import { type PlannedRoute, routeHash, tableHash } from "../4-plan/parts.js";
import type { UnchangedRoute } from "../4-plan/route-cache.js";
import type { LiteralSecret, SecretKeeper } from "../4-plan/secret.js";
import type { GeneratedModule } from "../5-emit/typescript.js";
import { metadataRow } from "../log/metadata.js";
import type { EmitTarget } from "../model/emit-target.js";
import {
  type MetadataPlan,
  metadataModuleId,
  moduleId,
  type Plan,
  type PlannedPipeline,
  planOf,
} from "../model/plan.js";
import type { Journal } from "./journal.js";

export interface StateOptions {
  target: EmitTarget<GeneratedModule>;
  /** Modules that are reused after a reload if the pipeline is the same. */
  reusable?: ReadonlyMap<string, GeneratedModule> | undefined;
}

/**
 * Compiled form by name, with the changes since the last delta. Parts are hashed, and modules emitted, when
 * the artifact or a delta is read: a check needs neither, and they take a quarter of the time.
 */
export class CompiledState {
  readonly routes: Map<string, PlannedRoute>;
  /** Routes without a module: a build uses the files of an earlier one. */
  readonly unchanged: Map<string, UnchangedRoute>;
  readonly rules: Map<string, PlannedPipeline>;
  readonly metadata: Map<string, MetadataPlan>;
  readonly tables: Map<string, UpstreamTable>;
  readonly pluginTables: Map<string, PluginTable>;
  readonly #modules: Map<string, GeneratedModule>;
  readonly #secrets: Map<string, Pick<SecretKeeper, "values" | "literals">>;
  readonly #fingerprint: Fingerprint;
  readonly #journal: Journal;
  readonly #options: StateOptions;
  /** Changed parts that are not hashed and emitted. `previous`: the part of the last delta. */
  readonly #unemitted = new Map<string, { previous: unknown; emit(): void }>();
  #changed = noChanges();

  constructor(journal: Journal, options: StateOptions, before?: CompiledState) {
    this.routes = new Map(before?.routes);
    this.unchanged = new Map(before?.unchanged);
    this.rules = new Map(before?.rules);
    this.metadata = new Map(before?.metadata);
    this.tables = new Map(before?.tables);
    this.pluginTables = new Map(before?.pluginTables);
    this.#modules = new Map(before?.modules);
    this.#secrets = new Map(before ? before.#secrets : []);
    this.#fingerprint = before ? before.#fingerprint.copy() : new Fingerprint();
    this.#journal = journal;
    this.#options = options;
  }

  /** Undefined removes the route; likewise below. */
  setRoute(id: string, planned: PlannedRoute | undefined): void {
    const name = `route:${id}`;
    this.#set(this.routes, id, planned, name, (previous) => {
      const pipeline = planned?.pipeline ?? undefined;
      const hash = pipeline && canonicalHash(pipeline);
      if (!this.#mark(name, planned && routeHash(planned, hash))) return;
      if (!previous || JSON.stringify(previous.row) !== JSON.stringify(planned?.row))
        this.#changed.routes.add(id);
      this.#setModule(name, hash, planned && { routes: [planned] });
    });
  }

  setUnchanged(id: string, route: UnchangedRoute): void {
    this.#set(this.unchanged, id, route, `unchanged:${id}`, () => {
      this.#mark(`route:${id}`, routeHash(route, route.made.pipeline));
    });
    if (route.planned) this.#journal.set(this.routes, id, route.planned);
  }

  setRule(id: string, pipeline: PlannedPipeline | undefined): void {
    const name = `global_rule:${id}`;
    this.#set(this.rules, id, pipeline, name, (previous) => {
      const hash = pipeline && canonicalHash(pipeline);
      if (!this.#mark(name, hash)) return;
      if ((previous === undefined) !== (pipeline === undefined)) this.#changed.rules = true;
      this.#setModule(name, hash, pipeline && { globalRules: [pipeline] });
    });
  }

  setMetadata(plugin: string, planned: MetadataPlan | undefined): void {
    const name = metadataModuleId({ plugin });
    this.#set(this.metadata, plugin, planned, name, (previous) => {
      const hash = planned && canonicalHash(planned);
      if (!this.#mark(name, hash)) return;
      if ((previous === undefined) !== (planned === undefined)) this.#changed.metadata = true;
      this.#setModule(name, hash, planned && { pluginMetadata: [planned] });
    });
  }

  setPluginTable(plugin: string, table: PluginTable | undefined): void {
    this.#set(this.pluginTables, plugin, table, plugin, () => {
      if (this.#mark(plugin, table && tableHash(plugin, table))) this.#changed.pluginTables.add(plugin);
    });
  }

  setTable(key: string, table: UpstreamTable | undefined): void {
    const name = `upstream:${key}`;
    this.#set(this.tables, key, table, name, () => {
      if (this.#mark(name, table && canonicalHash(table))) this.#changed.tables.add(key);
    });
  }

  setSecrets(moduleId: string, keeper: SecretKeeper | undefined): void {
    const isEmpty = keeper === undefined || keeper.values.size === 0;
    if (isEmpty && !this.#secrets.has(moduleId)) return;
    this.#journal.set(this.#secrets, moduleId, isEmpty ? undefined : keeper);
  }

  /** @param emit hashes and emits the part, given that of the last delta */
  #set<Part extends object>(
    parts: Map<string, Part>,
    key: string,
    value: Part | undefined,
    name: string,
    emit: (previous: Part | undefined) => void,
  ): void {
    const current = parts.get(key);
    if (current === undefined && value === undefined) return;
    const unemitted = this.#unemitted.get(name);
    const previous = unemitted ? (unemitted.previous as Part | undefined) : current;
    this.#journal.set(parts, key, value);
    this.#unemitted.set(name, { previous, emit: () => emit(previous) });
  }

  #emitChanges(): void {
    for (const { emit } of this.#unemitted.values()) emit();
    this.#unemitted.clear();
  }

  get modules(): ReadonlyMap<string, GeneratedModule> {
    this.#emitChanges();
    return this.#modules;
  }

  /** Literal secrets by reference. Only the process that uses them may receive them; no file and no log. */
  secrets(): Map<string, string> {
    return new Map([...this.#secrets.values()].flatMap(({ values }) => [...values]));
  }

  /** Locations in the order of the plan. @param plan `plan()` of this state */
  literals({ globalRules, routes, tables = {} }: Plan): LiteralSecret[] {
    if (this.#secrets.size === 0) return [];
    const names = [
      ...globalRules.map(moduleId),
      ...routes.map(({ row }) => `route:${row.id}`),
      ...Object.keys(tables),
    ];
    return names.flatMap((name) => this.#secrets.get(name)?.literals ?? []);
  }

  /** All parts, or these routes with all rules. */
  planned(routes?: Iterable<string>): unknown[] {
    const chosen = routes
      ? [...routes].flatMap((id) => this.routes.get(id) ?? [])
      : [...this.routes.values()];
    return [...chosen, ...this.rules.values(), ...this.metadata.values()];
  }

  /** Reports whether `plan` has all routes. */
  get isPlanned(): boolean {
    return [...this.unchanged.keys()].every((id) => this.routes.has(id));
  }

  plan(): Plan {
    const [metadata, tables] = [sorted(this.metadata), this.#tablesOf(this.pluginTables.keys())];
    return {
      ...{ version: 1, routes: sorted(this.routes), globalRules: sorted(this.rules) },
      ...(metadata.length > 0 && { pluginMetadata: metadata }),
      upstreams: sorted(this.tables),
      ...(this.pluginTables.size > 0 && { tables }),
    };
  }

  artifact(): Artifact {
    return this.compiled().artifact;
  }

  /** Sorts artifact and modules, both without those of unchanged routes. @param plan `plan()` of this state */
  compiled(plan = this.plan()): {
    artifact: Artifact;
    modules: GeneratedModule[];
    unchanged: UnchangedRoute[];
  } {
    const modules = sorted(this.modules);
    const unchanged = sorted(this.unchanged);
    const routes =
      unchanged.length === 0
        ? plan.routes
        : sorted(new Map<string, Pick<PlannedRoute, "row">>([...this.routes, ...this.unchanged]));
    const artifact = {
      abi: ABI,
      planHash: this.#fingerprint.digest(),
      routes: routes.map(({ row }) => row),
      upstreams: plan.upstreams,
      globalRules: plan.globalRules.map(ruleRow),
      pluginMetadata: (plan.pluginMetadata ?? []).map(metadataRow),
      ...(plan.tables && { tables: plan.tables }),
      modules: modules.map(({ text }) => text),
    };
    return { artifact, modules, unchanged };
  }

  /** Delta of the changes since the last call. */
  takeDelta(): Delta {
    this.#emitChanges();
    const { routes, tables, modules, rules, metadata, pluginTables } = this.#changed;
    this.#changed = noChanges();
    return {
      abi: ABI,
      planHash: this.#fingerprint.digest(),
      routes: split(routes, (id) => this.routes.get(id)?.row),
      upstreams: split(tables, (key) => this.tables.get(key)),
      ...(rules && { globalRules: sorted(this.rules).map(ruleRow) }),
      ...(metadata && { pluginMetadata: sorted(this.metadata).map(metadataRow) }),
      ...(pluginTables.size > 0 && { tables: this.#tablesOf(pluginTables) }),
      modules: split(modules, (moduleId) => this.#modules.get(moduleId)?.text),
    };
  }

  /** Used for the changes of a load, or those that a rollback reverts. */
  forgetChanges(): void {
    this.#unemitted.clear();
    this.#changed = noChanges();
  }

  #tablesOf(plugins: Iterable<string>): PluginTables {
    return Object.fromEntries([...plugins].sort().map((name) => [name, this.pluginTables.get(name) ?? {}]));
  }

  #mark(name: string, hash: string | undefined): boolean {
    const previous = this.#fingerprint.get(name);
    if (previous === hash) return false;
    const put = (value: string | undefined) =>
      value === undefined ? this.#fingerprint.remove(name) : this.#fingerprint.put(name, value);
    put(hash);
    this.#journal.record(() => put(previous));
    return true;
  }

  /** @param hash of the module's only part; undefined removes the module */
  #setModule(moduleId: string, hash: string | undefined, made: Partial<Plan> = {}): void {
    const current = this.#modules.get(moduleId);
    if (current?.pipeline === hash) return;
    const known = this.#options.reusable?.get(moduleId);
    const module = hash === undefined || known?.pipeline === hash ? known : this.#emitted(made, hash);
    this.#journal.set(this.#modules, moduleId, hash === undefined ? undefined : module);
    this.#changed.modules.add(moduleId);
  }

  #emitted(made: Partial<Plan>, hash: string): GeneratedModule | undefined {
    return this.#options.target.emit(planOf(made), () => hash)[0];
  }
}

const ruleRow = (rule: PlannedPipeline): Artifact["globalRules"][number] => ({
  ...{ id: rule.id, moduleId: moduleId(rule) },
});

function noChanges() {
  return {
    routes: new Set<string>(),
    tables: new Set<string>(),
    modules: new Set<string>(),
    rules: false,
    metadata: false,
    pluginTables: new Set<string>(),
  };
}

function sorted<T>(map: ReadonlyMap<string, T>): T[] {
  return [...map].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value);
}

function split<T>(names: ReadonlySet<string>, find: (name: string) => T | undefined) {
  const put: T[] = [];
  const remove: string[] = [];
  for (const name of names) {
    const item = find(name);
    if (item === undefined) remove.push(name);
    else put.push(item);
  }
  return { put, remove };
}
