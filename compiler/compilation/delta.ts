import { deltaTo } from "../../runtime/abi/delta.js";
import type { Artifact, Delta } from "../../runtime/abi/generation.js";

export function deltaBetween(before: Artifact, after: Artifact): Delta {
  const routes = new Map(before.routes.map((row) => [row.id, row]));
  const upstreams = new Map(before.upstreams.map((table) => [table.key, table]));
  const modules = new Map(before.modules.map((module) => [module.moduleId, module]));
  return deltaTo({ ...before, routes, upstreams, modules }, after);
}
