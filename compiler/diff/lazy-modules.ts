import type { ModuleCode } from "../../runtime/abi/generation.js";
import { canonicalHash } from "../../runtime/abi/hash.js";
import { type GeneratedModule, typescript } from "../5-emit/typescript.js";
import type { EmitTarget } from "../model/emit-target.js";
import { metadataModuleId, moduleId, type Plan, planOf } from "../model/plan.js";

type ModuleOf = (moduleId: string) => ModuleCode | undefined;

/** Emits no modules, so that only the plan is made. */
export const WITHOUT_MODULES: EmitTarget<GeneratedModule> = { ...typescript, emit: () => [] };

/** Emitted on first use: of 20,000 modules, a comparison runs a few. */
export function lazyModules(plan: Plan): ModuleOf {
  const emitted = new Map<string, ModuleCode>();
  const parts = new Map<string, Partial<Plan>>();
  for (const route of plan.routes)
    if (route.pipeline !== null) parts.set(moduleId(route.pipeline), { routes: [route] });
  for (const rule of plan.globalRules) parts.set(moduleId(rule), { globalRules: [rule] });
  for (const metadata of plan.pluginMetadata ?? [])
    parts.set(metadataModuleId(metadata), { pluginMetadata: [metadata] });
  return (moduleId) => {
    const part = parts.get(moduleId);
    const code = emitted.get(moduleId) ?? (part && typescript.emit(planOf(part), canonicalHash)[0]?.text);
    if (code !== undefined) emitted.set(moduleId, code);
    return code;
  };
}
