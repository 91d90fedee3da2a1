import type { Artifact } from "../runtime/abi/generation.js";
import { ABI } from "../runtime/abi/version.js";
import { type CompileMemory, type CompileResult, compileToPlan } from "./compile-to-plan.js";
import { type GeneratedModule, typescript } from "./emit/typescript.js";
import type { EmitTarget } from "./emit-target.js";
import type { CompileInput } from "./input.js";
import { metadataHash, metadataRow } from "./log/metadata.js";
import { pipelineHash } from "./plan/canonical.js";
import { moduleId } from "./plan/module-id.js";
import { fingerprint } from "./plan/parts.js";
import { type Plan, type PlanPart, pipelinesOf } from "./plan/plan-document.js";

export type { CompileMemory, CompileResult } from "./compile-to-plan.js";
export type { CompileInput, StoredResource } from "./input.js";

/**
 * Compiles a configuration: parse, validate, resolve, plan, emit with the target. Pure: the same input gives
 * the same bytes. Never throws for invalid input of users. The type check of the generated code is a separate
 * step, `check`.
 */
export function compile(
  input: CompileInput,
  target: EmitTarget<GeneratedModule> = typescript,
  memory?: CompileMemory,
): CompileResult {
  const { plan, ...result } = compileToPlan(input, target, memory);
  if (plan === undefined) return { ...result, plan };
  const pipelines = pipelinesOf(plan);
  const hashes = new Map<PlanPart, string>([
    ...pipelines.map(
      (pipeline) => [pipeline, memory?.routes.made(pipeline)?.pipeline ?? pipelineHash(pipeline)] as const,
    ),
    ...(plan.pluginMetadata ?? []).map((metadata) => [metadata, metadataHash(metadata)] as const),
  ]);
  const modules = target.emit(
    plan,
    (part) => hashes.get(part) ?? "",
    (part) => memory?.routes.made(part)?.texts,
  );
  modules.sort((a, b) => (a.text.moduleId < b.text.moduleId ? -1 : 1));
  return { ...result, plan, artifact: artifactOf(plan, hashes, modules), modules };
}

function artifactOf(
  plan: Plan,
  hashes: ReadonlyMap<PlanPart, string>,
  modules: readonly GeneratedModule[],
): Artifact {
  return {
    abi: ABI,
    planHash: fingerprint(plan, hashes).digest(),
    routes: plan.routes.map(({ row }) => row),
    upstreams: plan.upstreams,
    globalRules: plan.globalRules.map((rule) => ({ id: rule.id, moduleId: moduleId(rule) })),
    pluginMetadata: (plan.pluginMetadata ?? []).map(metadataRow),
    ...(plan.tables && { tables: plan.tables }),
    modules: modules.map(({ text }) => text),
  };
}
