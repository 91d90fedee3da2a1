import type { ModuleCode } from "../../runtime/abi/generation.js";
import { canonicalHash } from "../../runtime/abi/hash.js";
import { pipelineHash } from "../4-plan/canonical.js";
import { type GeneratedModule, typescript } from "../5-emit/typescript.js";
import type { EmitTarget } from "../model/emit-target.js";
import { metadataModuleId, moduleId } from "../model/module-id.js";
import { type Plan, planOf } from "../model/plan-document.js";

type ModuleOf = (moduleId: string) => ModuleCode | undefined;

/** Emits no modules, so that only the plan is made. */
export const WITHOUT_MODULES: EmitTarget<GeneratedModule> = { ...typescript, emit: () => [] };

/** Emitted on first use: of 20,000 modules, a comparison runs a few. */
export function lazyModules(plan: Plan): ModuleOf {
  const emitted = new Map<string, ModuleCode>();
  const parts = new Map<string, () => ModuleCode | undefined>();
  for (const route of plan.routes)
    if (route.pipeline !== null) {
      const { pipeline } = route;
      parts.set(moduleId(pipeline), () => only({ routes: [route] }, pipelineHash(pipeline)));
    }
  for (const rule of plan.globalRules)
    parts.set(moduleId(rule), () => only({ globalRules: [rule] }, pipelineHash(rule)));
  for (const metadata of plan.pluginMetadata ?? [])
    parts.set(metadataModuleId(metadata), () =>
      only({ pluginMetadata: [metadata] }, canonicalHash(metadata)),
    );
  return (moduleId) => {
    const known = emitted.get(moduleId) ?? parts.get(moduleId)?.();
    if (known !== undefined) emitted.set(moduleId, known);
    return known;
  };
}

function only(part: Partial<Plan>, hash: string): ModuleCode | undefined {
  return typescript.emit(planOf(part), () => hash)[0]?.text;
}
