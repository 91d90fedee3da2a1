import vm from "node:vm";
import type { Artifact } from "../../runtime/abi/generation.js";
import type { PipelineModule } from "../../runtime/abi/route-module.js";
import type { LiveGeneration, LiveRoute, MatchSubject } from "../../runtime/host/contract.js";
import * as surface from "../../runtime/index.js";
import { Router } from "../../runtime/router/router.js";
import { Upstream } from "../../runtime/upstream/balancer.js";

/** The artifact as a running generation. */
export function loaded(artifact: Artifact): LiveGeneration {
  const modules = new Map(artifact.modules.map(({ unit, file, code }) => [unit, load(code, file)]));
  const upstreams = new Map(artifact.upstreams.map((table) => [table.key, new Upstream(table)]));
  const router = new Router<LiveRoute, MatchSubject>((route, x) => route.module?.match?.(x) ?? true);
  for (const row of artifact.routes) {
    const module = row.unit === null ? null : (modules.get(row.unit) ?? null);
    const upstream = row.upstream === null ? null : (upstreams.get(row.upstream) ?? null);
    router.put(row, { row, module, upstream });
  }
  const globalRules = artifact.globalRules.flatMap((row) => {
    const module = modules.get(row.unit);
    return module ? [{ row, module }] : [];
  });
  return { number: 1, globalRules, match: (subject) => router.match(subject) };
}

function load(code: string, filename: string): PipelineModule {
  const module = { exports: {} as PipelineModule };
  vm.compileFunction(code, ["require", "module"], { filename })(() => surface, module);
  return module.exports;
}
