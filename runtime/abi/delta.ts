import type { Artifact, Delta } from "./generation.js";
import { changedTables } from "./plugin-tables.js";

/** Parts of a generation; those that a delta changes one by one, by key. */
interface KeyedParts extends Pick<Artifact, "globalRules" | "pluginMetadata"> {
  routes: ReadonlyMap<string, Artifact["routes"][number]>;
  upstreams: ReadonlyMap<string, Artifact["upstreams"][number]>;
  modules: ReadonlyMap<string, { file: string; hash: string }>;
  tables?: Artifact["tables"] | undefined;
}

export function deltaTo(from: KeyedParts, to: Artifact): Delta {
  const tables = changedTables(from.tables, to.tables);
  return {
    abi: to.abi,
    planHash: to.planHash,
    routes: difference(from.routes, to.routes, (row) => row.id, sameJson),
    upstreams: difference(from.upstreams, to.upstreams, (table) => table.key, sameJson),
    ...(!sameJson(from.globalRules, to.globalRules) && { globalRules: to.globalRules }),
    ...(!sameJson(from.pluginMetadata, to.pluginMetadata) && { pluginMetadata: to.pluginMetadata }),
    ...(tables && { tables }),
    modules: difference(
      from.modules,
      to.modules,
      (module) => module.moduleId,
      (a, b) => a.hash === b.hash && a.file === b.file,
    ),
  };
}

function difference<Before, After extends Before>(
  from: ReadonlyMap<string, Before>,
  to: After[],
  key: (item: After) => string,
  same: (before: Before, after: After) => boolean,
): { put: After[]; remove: string[] } {
  const kept = new Set(to.map(key));
  const put = to.filter((item) => {
    const before = from.get(key(item));
    return before === undefined || !same(before, item);
  });
  return { put, remove: [...from.keys()].filter((name) => !kept.has(name)) };
}

/** Compares the JSON: all rows come from one printer, so equal rows print equally. */
function sameJson(a: unknown, b: unknown): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b);
}
