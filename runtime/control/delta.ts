import type { Artifact, Delta } from "../abi/generation.js";
import { changedTables, joinedRows, joinedTables } from "../abi/plugin-tables.js";
import type { GenerationContent } from "../process/generation-log.js";

export function deltaTo(from: GenerationContent, to: Artifact): Delta {
  const routes = difference(from.routes, to.routes, (row) => row.id, sameJson);
  const upstreams = difference(from.upstreams, to.upstreams, (table) => table.key, sameJson);
  const modules = difference(
    from.modules,
    to.modules,
    (module) => module.moduleId,
    (a, b) => a.hash === b.hash && a.file === b.file,
  );
  const globalRules = sameJson(from.globalRules, to.globalRules) ? undefined : to.globalRules;
  const delta: Delta = { abi: to.abi, planHash: to.planHash, routes, upstreams, modules };
  const pluginMetadata = sameJson(from.pluginMetadata, to.pluginMetadata) ? undefined : to.pluginMetadata;
  const tables = changedTables(from.tables, to.tables);
  return {
    ...delta,
    ...(globalRules && { globalRules }),
    ...(pluginMetadata && { pluginMetadata }),
    ...(tables && { tables }),
  };
}

export function isEmpty(delta: Delta): boolean {
  return (
    delta.globalRules === undefined &&
    delta.pluginMetadata === undefined &&
    delta.tables === undefined &&
    [delta.routes, delta.upstreams, delta.modules].every(
      ({ put, remove }) => put.length === 0 && remove.length === 0,
    )
  );
}

function difference<T>(
  from: ReadonlyMap<string, T>,
  to: T[],
  key: (item: T) => string,
  same: (a: T, b: T) => boolean,
): { put: T[]; remove: string[] } {
  const kept = new Set(to.map(key));
  const put = to.filter((item) => {
    const before = from.get(key(item));
    return before === undefined || !same(before, item);
  });
  return { put, remove: [...from.keys()].filter((name) => !kept.has(name)) };
}

/** Compares the JSON: all rows come from one printer, so equal rows print equally. */
function sameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Merges a build with its overlay, whose rows replace those that depend on consumers of the store. */
export function mergeArtifacts(built: Artifact, stored: Artifact | undefined): Artifact {
  if (!stored) return built;
  return {
    ...built,
    planHash: `${built.planHash}+${stored.planHash}`,
    routes: joinedRows(built.routes, stored.routes, ({ id }) => id),
    upstreams: joinedRows(built.upstreams, stored.upstreams, ({ key }) => key),
    globalRules: joinedRows(built.globalRules, stored.globalRules, ({ id }) => id),
    pluginMetadata: joinedRows(built.pluginMetadata, stored.pluginMetadata, ({ plugin }) => plugin),
    ...((built.tables || stored.tables) && { tables: joinedTables(built.tables, stored.tables) }),
    modules: joinedRows(built.modules, stored.modules, ({ moduleId }) => moduleId),
  };
}
