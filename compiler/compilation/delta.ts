import type { Artifact, Delta } from "../../runtime/abi/generation.js";
import { changedTables } from "../../runtime/abi/plugin-tables.js";

export function deltaBetween(before: Artifact, after: Artifact): Delta {
  const sameRules = JSON.stringify(before.globalRules) === JSON.stringify(after.globalRules);
  const sameMetadata = JSON.stringify(before.pluginMetadata) === JSON.stringify(after.pluginMetadata);
  const tables = changedTables(before.tables, after.tables);
  return {
    abi: after.abi,
    planHash: after.planHash,
    routes: changes(before.routes, after.routes, (row) => row.id),
    upstreams: changes(before.upstreams, after.upstreams, (table) => table.key),
    ...(!sameRules && { globalRules: after.globalRules }),
    ...(!sameMetadata && { pluginMetadata: after.pluginMetadata }),
    ...(tables && { tables }),
    modules: changes(before.modules, after.modules, (module) => module.moduleId),
  };
}

function changes<T>(before: readonly T[], after: readonly T[], name: (item: T) => string) {
  const old = new Map(before.map((item) => [name(item), item]));
  const put = after.filter((item) => {
    const earlier = old.get(name(item));
    old.delete(name(item));
    return earlier !== item && JSON.stringify(earlier) !== JSON.stringify(item);
  });
  return { put, remove: [...old.keys()] };
}
