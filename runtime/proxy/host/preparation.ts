import type { PluginMetadataModule } from "../../abi/exchange.js";
import type { Delta, GlobalRuleRow, ModuleCode, PluginMetadataRow, RouterRow } from "../../abi/generation.js";
import type { PipelineModule } from "../../abi/route-module.js";
import type { Steps } from "../../http/time-slice.js";
import { Upstream } from "../upstream/balancer.js";
import { CompiledCodeCache } from "./compiled-code-cache.js";
import type { LiveGlobalRule } from "./contract.js";
import type { Generation } from "./generation.js";
import type { LiveTables } from "./live-tables.js";
import {
  checkAbi,
  type Environment,
  LoadError,
  loadModule,
  loadPluginMetadata,
  resolvedTable,
} from "./load.js";
import type { SharedResources } from "./shared-resources.js";

/** Generation that is ready to be activated; the live one has not changed yet. */
export interface PreparedGeneration {
  readonly number: number;
  readonly delta: Delta;
  readonly modules: ReadonlyMap<string, PipelineModule>;
  readonly upstreams: ReadonlyMap<string, Upstream>;
  readonly globalRules: readonly LiveGlobalRule[];
  readonly metadata: PreparedMetadata;
}

interface PreparedMetadata {
  readonly put: ReadonlyMap<string, PluginMetadataModule>;
  readonly rows: readonly PluginMetadataRow[];
  readonly byPlugin: ReadonlyMap<string, PluginMetadataModule>;
}

export interface PreparationContext {
  readonly live: Generation | undefined;
  readonly tables: LiveTables;
  /** Tables whose load balancers pass their state on to the next generation. */
  readonly balancers: LiveTables;
  readonly resources: Pick<SharedResources, "retain" | "release">;
  readonly environment: Environment;
}

/** Minimum modules in a delta for sharing code: below, each keeps its own name in profiles and debuggers. */
const SHARED_FROM = 256;

export function discardPrepared(
  { modules }: Pick<PreparedGeneration, "modules">,
  resources: PreparationContext["resources"],
): void {
  for (const module of modules.values()) resources.release(module.resources ?? [], 0);
}

/**
 * Loads, opens and checks everything in a delta, in steps, so that requests may continue.
 * @throws LoadError if one part is invalid; opened resources are closed
 */
export function* prepareGeneration(
  context: PreparationContext,
  number: number,
  delta: Delta,
): Steps<PreparedGeneration> {
  checkAbi(delta.abi);
  const modules = new Map<string, PipelineModule>();
  const upstreams = new Map<string, Upstream>();
  const metadata = new Map<string, PluginMetadataModule>();
  const shared = delta.modules.put.length < SHARED_FROM ? undefined : new CompiledCodeCache();
  try {
    for (const text of delta.modules.put) {
      const { moduleId } = text;
      // Metadata exports no pipeline, so it has its own table.
      if (moduleId.startsWith("plugin_metadata:")) metadata.set(moduleId, loadPluginMetadata(text));
      // An error is mapped to a module of its request by the code, so only the route's module may share code.
      else openModule(context, modules, text, moduleId.startsWith("route:") ? shared : undefined);
      yield;
    }
    for (const table of delta.upstreams.put) {
      const resolved = resolvedTable(table, context.environment);
      upstreams.set(table.key, new Upstream(resolved, context.balancers.upstreams.get(table.key)?.current));
      yield;
    }
    const globalRules = rulesAfter(context, delta, modules);
    checkNames(context.tables, delta, modules, upstreams);
    return {
      ...{ number, delta, modules, upstreams, globalRules },
      metadata: metadataAfter(context.tables, delta, metadata),
    };
  } catch (error) {
    discardPrepared({ modules }, context.resources);
    throw error;
  }
}

function openModule(
  { resources }: PreparationContext,
  modules: Map<string, PipelineModule>,
  text: ModuleCode,
  shared: CompiledCodeCache | undefined,
): void {
  const module = loadModule(text, shared);
  if (module.resources !== undefined) resources.retain(module.resources);
  modules.set(text.moduleId, module);
}

function rulesAfter(
  { live, tables }: PreparationContext,
  delta: Delta,
  modules: ReadonlyMap<string, PipelineModule>,
): LiveGlobalRule[] {
  const rows: readonly GlobalRuleRow[] = delta.globalRules ?? live?.globalRules.map(({ row }) => row) ?? [];
  return rows.map((row) => {
    const present = delta.modules.remove.includes(row.moduleId)
      ? undefined
      : tables.modules.get(row.moduleId);
    const module = modules.get(row.moduleId) ?? present?.current;
    if (module === undefined) throw missing("global rule", row.id, "module", row.moduleId);
    return { row, module };
  });
}

function metadataAfter(
  { metadata, metadataRows }: LiveTables,
  delta: Delta,
  put: ReadonlyMap<string, PluginMetadataModule>,
): PreparedMetadata {
  const rows = delta.pluginMetadata ?? metadataRows;
  const byPlugin = new Map<string, PluginMetadataModule>();
  for (const { plugin, moduleId } of rows) {
    const present = delta.modules.remove.includes(moduleId) ? undefined : metadata.get(moduleId);
    const module = put.get(moduleId) ?? present;
    if (module === undefined) throw missing("plugin metadata", plugin, "module", moduleId);
    byPlugin.set(plugin, module);
  }
  return { put, rows, byPlugin };
}

/** Checks references. A delta belongs to one state; a reference to nothing means that the state is another one. */
function checkNames(
  tables: LiveTables,
  { routes, modules: moduleIds, upstreams: keys }: Delta,
  modules: ReadonlyMap<string, PipelineModule>,
  upstreams: ReadonlyMap<string, Upstream>,
): void {
  const ids = [...routes.remove, ...routes.put.map(({ id }) => id)];
  const rows = { put: routes.put, leaving: ids.flatMap((id) => tables.router.get(id)?.row ?? []) };
  checkPart("module", (row) => row.moduleId, rows, moduleIds.remove, modules, tables.modules);
  checkPart("upstream", (row) => row.upstream, rows, keys.remove, upstreams, tables.upstreams);
}

/** @throws LoadError GW6004 if a new row names nothing, or a row that stays a removed part */
function checkPart(
  part: "module" | "upstream",
  nameOf: (row: RouterRow) => string | null,
  { put, leaving }: { put: readonly RouterRow[]; leaving: readonly RouterRow[] },
  removed: readonly string[],
  made: ReadonlyMap<string, unknown>,
  slots: ReadonlyMap<string, { users: number }>,
): void {
  const gone = new Set(removed.filter((name) => !made.has(name)));
  for (const row of put) {
    const name = nameOf(row);
    if (name !== null && !made.has(name) && (gone.has(name) || !slots.has(name)))
      throw missing("route", row.id, part, name);
  }
  const leavers = new Map<string, number>();
  for (const row of leaving) {
    const name = nameOf(row);
    if (name !== null && gone.has(name)) leavers.set(name, (leavers.get(name) ?? 0) + 1);
  }
  for (const name of gone)
    if ((slots.get(name)?.users ?? 0) > (leavers.get(name) ?? 0))
      throw new LoadError("GW6004", `the ${part} "${name}" is removed while a route refers to it`);
}

function missing(kind: string, id: string, part: string, name: string): LoadError {
  return new LoadError("GW6004", `${kind} "${id}" refers to the ${part} "${name}", which does not exist`);
}
