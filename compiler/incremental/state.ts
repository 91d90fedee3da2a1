import type { Artifact, Delta, UpstreamTable } from "../../runtime/abi/generation.js";
import type { PluginTable, PluginTables } from "../../runtime/abi/plugin-tables.js";
import { ABI } from "../../runtime/abi/version.js";
import type { GeneratedModule } from "../emit/typescript.js";
import type { EmitTarget } from "../emit-target.js";
import { metadataHash, metadataRow } from "../log/metadata.js";
import type { MetadataPlan } from "../log/plan.js";
import { pipelineHash } from "../plan/canonical.js";
import { Fingerprint } from "../plan/fingerprint.js";
import { metadataModuleId, moduleId } from "../plan/module-id.js";
import { type PlannedRoute, part } from "../plan/parts.js";
import type { PlannedPipeline } from "../plan/plan.js";
import { type Plan, planOf } from "../plan/plan-document.js";
import type { Journal } from "./journal.js";

/** Compiled form of the running generation, by name, with the changes since the last delta. */
export class CompiledState {
  readonly routes: Map<string, PlannedRoute>;
  readonly rules: Map<string, PlannedPipeline>;
  readonly metadata: Map<string, MetadataPlan>;
  readonly tables: Map<string, UpstreamTable>;
  readonly pluginTables: Map<string, PluginTable>;
  /** Modules by module id. */
  readonly modules: Map<string, GeneratedModule>;
  /** Values of the literal secrets of each module, by module id and reference. */
  readonly #secretValues: Map<string, ReadonlyMap<string, string>>;
  readonly #fingerprint: Fingerprint;
  readonly #journal: Journal;
  readonly #target: EmitTarget<GeneratedModule>;
  /** Modules of the configuration before a reload, reused if the pipeline is the same. */
  readonly #reusable: ReadonlyMap<string, GeneratedModule>;
  #changed = noChanges();

  /** @param before initial content; later changes do not affect each other */
  constructor(
    journal: Journal,
    target: EmitTarget<GeneratedModule>,
    reusable: ReadonlyMap<string, GeneratedModule> = new Map(),
    before?: CompiledState,
  ) {
    this.routes = new Map(before?.routes);
    this.rules = new Map(before?.rules);
    this.metadata = new Map(before?.metadata);
    this.tables = new Map(before?.tables);
    this.pluginTables = new Map(before?.pluginTables);
    this.modules = new Map(before?.modules);
    this.#secretValues = new Map(before ? before.#secretValues : []);
    this.#fingerprint = before ? before.#fingerprint.copy() : new Fingerprint();
    this.#journal = journal;
    this.#target = target;
    this.#reusable = reusable;
  }

  /** Sets a route; undefined removes it, here and below. */
  setRoute(id: string, planned: PlannedRoute | undefined): void {
    const hash = planned?.pipeline ? pipelineHash(planned.pipeline) : undefined;
    if (!this.#mark(`route:${id}`, planned && part.route(planned, hash)[1])) return;
    const previous = this.routes.get(id);
    this.#journal.set(this.routes, id, planned);
    if (JSON.stringify(previous?.row) !== JSON.stringify(planned?.row)) this.#changed.routes.add(id);
    this.#setModule(`route:${id}`, hash, planned && { routes: [planned] });
  }

  setRule(id: string, pipeline: PlannedPipeline | undefined): void {
    const hash = pipeline && pipelineHash(pipeline);
    if (!this.#mark(`global_rule:${id}`, pipeline && part.globalRule(pipeline, hash ?? "")[1])) return;
    if (this.rules.has(id) !== (pipeline !== undefined)) this.#changed.rules = true;
    this.#journal.set(this.rules, id, pipeline);
    this.#setModule(`global_rule:${id}`, hash, pipeline && { globalRules: [pipeline] });
  }

  setMetadata(plugin: string, planned: MetadataPlan | undefined): void {
    const moduleId = metadataModuleId({ plugin });
    const hash = planned && metadataHash(planned);
    if (!this.#mark(moduleId, hash)) return;
    if (this.metadata.has(plugin) !== (planned !== undefined)) this.#changed.metadata = true;
    this.#journal.set(this.metadata, plugin, planned);
    this.#setModule(moduleId, hash, planned && { pluginMetadata: [planned] });
  }

  setPluginTable(plugin: string, table: PluginTable | undefined): void {
    if (!this.#mark(plugin, table && part.table(plugin, table)[1])) return;
    this.#journal.set(this.pluginTables, plugin, table);
    this.#changed.pluginTables.add(plugin);
  }

  setTable(key: string, table: UpstreamTable | undefined): void {
    if (!this.#mark(`upstream:${key}`, table && part.upstream(table)[1])) return;
    this.#journal.set(this.tables, key, table);
    this.#changed.tables.add(key);
  }

  setSecrets(moduleId: string, values: ReadonlyMap<string, string> | undefined): void {
    if ((values?.size ?? 0) === 0 && !this.#secretValues.has(moduleId)) return;
    this.#journal.set(this.#secretValues, moduleId, values?.size === 0 ? undefined : values);
  }

  /**
   * Values of all literal secrets by reference. Only the process that uses them may receive them; no file and
   * no log.
   */
  secrets(): Map<string, string> {
    return new Map([...this.#secretValues.values()].flatMap((values) => [...values]));
  }

  /** Plan parts: all, or these routes with all rules. */
  planned(routes?: Iterable<string>): unknown[] {
    const chosen = routes
      ? [...routes].flatMap((id) => this.routes.get(id) ?? [])
      : [...this.routes.values()];
    return [...chosen, ...this.rules.values(), ...this.metadata.values()];
  }

  artifact(): Artifact {
    return {
      abi: ABI,
      planHash: this.#fingerprint.digest(),
      routes: sorted(this.routes).map(({ row }) => row),
      upstreams: sorted(this.tables),
      globalRules: this.#ruleRows(),
      pluginMetadata: sorted(this.metadata).map(metadataRow),
      ...(this.pluginTables.size > 0 && { tables: this.#tablesOf(this.pluginTables.keys()) }),
      modules: sorted(this.modules).map(({ text }) => text),
    };
  }

  /** Delta of the changes since the last call. */
  takeDelta(): Delta {
    const { routes, tables, modules, rules, metadata, pluginTables } = this.#changed;
    this.#changed = noChanges();
    return {
      abi: ABI,
      planHash: this.#fingerprint.digest(),
      routes: split(routes, (id) => this.routes.get(id)?.row),
      upstreams: split(tables, (key) => this.tables.get(key)),
      ...(rules && { globalRules: this.#ruleRows() }),
      ...(metadata && { pluginMetadata: sorted(this.metadata).map(metadataRow) }),
      ...(pluginTables.size > 0 && { tables: this.#tablesOf(pluginTables) }),
      modules: split(modules, (moduleId) => this.modules.get(moduleId)?.text),
    };
  }

  #ruleRows(): Artifact["globalRules"] {
    return sorted(this.rules).map((rule) => ({ id: rule.id, moduleId: moduleId(rule) }));
  }

  /** Tables of plugins; a removed one is empty. */
  #tablesOf(plugins: Iterable<string>): PluginTables {
    return Object.fromEntries([...plugins].sort().map((name) => [name, this.pluginTables.get(name) ?? {}]));
  }

  /** Stores the hash of a part and reports whether it changed. */
  #mark(name: string, hash: string | undefined): boolean {
    const previous = this.#fingerprint.get(name);
    if (previous === hash) return false;
    const put = (value: string | undefined) =>
      value === undefined ? this.#fingerprint.remove(name) : this.#fingerprint.put(name, value);
    put(hash);
    this.#journal.record(() => put(previous));
    return true;
  }

  /** @param hash hash of the module's only part; undefined removes the module */
  #setModule(moduleId: string, hash: string | undefined, made: Partial<Plan> = {}): void {
    const current = this.modules.get(moduleId);
    if (current?.pipeline === hash) return;
    const known = this.#reusable.get(moduleId);
    const [module] =
      hash === undefined
        ? []
        : known?.pipeline === hash
          ? [known]
          : this.#target.emit(planOf(made), () => hash);
    this.#journal.set(this.modules, moduleId, module);
    this.#changed.modules.add(moduleId);
  }
}

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
