import type { PluginMetadataModule } from "../../abi/exchange.js";
import type {
  Delta,
  GlobalRuleRow,
  ModuleCode,
  PluginMetadataRow,
  RouterRow,
  UpstreamTable,
} from "../../abi/generation.js";
import type { PipelineModule } from "../../abi/route-module.js";
import { runInSlices, runToCompletion, type Steps } from "../../http/time-slice.js";
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

/**
 * Loads, opens and checks everything in a delta, in time slices, so that requests continue.
 * @throws LoadError if one part is invalid; opened resources are closed
 */
export function prepareInSlices(
  context: PreparationContext,
  number: number,
  delta: Delta,
): Promise<PreparedGeneration> {
  return runInSlices(preparing(context, number, delta));
}

/** `prepareInSlices` without yielding, for the first generation. */
export function prepareSync(context: PreparationContext, number: number, delta: Delta): PreparedGeneration {
  return runToCompletion(preparing(context, number, delta));
}

export function discardPrepared(
  { modules }: Pick<PreparedGeneration, "modules">,
  resources: PreparationContext["resources"],
): void {
  for (const module of modules.values()) resources.release(module.resources ?? [], 0);
}

function* preparing(context: PreparationContext, number: number, delta: Delta): Steps<PreparedGeneration> {
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
      upstreams.set(table.key, openUpstream(context, table));
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

function openUpstream({ balancers, environment }: PreparationContext, table: UpstreamTable): Upstream {
  return new Upstream(resolvedTable(table, environment), balancers.upstreams.get(table.key)?.current);
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
  const noUnits = new Set(moduleIds.remove.filter((moduleId) => !modules.has(moduleId)));
  const noUpstreams = new Set(keys.remove.filter((key) => !upstreams.has(key)));
  for (const { id, moduleId, upstream } of routes.put) {
    if (
      moduleId !== null &&
      !modules.has(moduleId) &&
      (noUnits.has(moduleId) || !tables.modules.has(moduleId))
    )
      throw missing("route", id, "module", moduleId);
    if (
      upstream !== null &&
      !upstreams.has(upstream) &&
      (noUpstreams.has(upstream) || !tables.upstreams.has(upstream))
    )
      throw missing("route", id, "upstream", upstream);
  }
  const rows = [...routes.remove, ...routes.put.map(({ id }) => id)].flatMap(
    (id) => tables.router.get(id)?.row ?? [],
  );
  const moduleId = stillNamed(noUnits, tables.modules, rows, (row) => row.moduleId);
  const key = stillNamed(noUpstreams, tables.upstreams, rows, (row) => row.upstream);
  if (moduleId !== undefined)
    throw new LoadError("GW6004", `the module "${moduleId}" is removed while a route refers to it`);
  if (key !== undefined)
    throw new LoadError("GW6004", `the upstream "${key}" is removed while a route refers to it`);
}

/** First of `names` that a row uses which is not in `leaving`. */
function stillNamed(
  names: ReadonlySet<string>,
  slots: ReadonlyMap<string, { users: number }>,
  leaving: readonly RouterRow[],
  nameOf: (row: RouterRow) => string | null,
): string | undefined {
  const leavers = new Map<string, number>();
  for (const row of leaving) {
    const name = nameOf(row);
    if (name !== null && names.has(name)) leavers.set(name, (leavers.get(name) ?? 0) + 1);
  }
  return [...names].find((name) => (slots.get(name)?.users ?? 0) > (leavers.get(name) ?? 0));
}

function missing(kind: string, id: string, part: string, name: string): LoadError {
  return new LoadError("GW6004", `${kind} "${id}" refers to the ${part} "${name}", which does not exist`);
}
