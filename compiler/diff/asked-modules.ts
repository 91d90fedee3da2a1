import type { ModuleText } from "../../runtime/abi/generation.js";
import { type GeneratedModule, typescript } from "../emit/typescript.js";
import { metadataHash } from "../log/metadata.js";
import { pipelineHash } from "../plan/canonical.js";
import { metadataUnit, unitOf } from "../plan/unit.js";
import { type Plan, planOf } from "../plan/whole.js";
import type { Target } from "../target.js";

/** The module of a unit. */
type ModuleOf = (unit: string) => ModuleText | undefined;

/** Makes the plan alone. */
export const WITHOUT_MODULES: Target<GeneratedModule> = { ...typescript, emit: () => [] };

/** Modules of a plan, each emitted when it is first asked for: of 20,000 a comparison runs a few. */
export function modulesWhenAsked(plan: Plan): ModuleOf {
  const emitted = new Map<string, ModuleText>();
  const parts = new Map<string, () => ModuleText | undefined>();
  for (const route of plan.routes)
    if (route.pipeline !== null) {
      const { pipeline } = route;
      parts.set(unitOf(pipeline), () => only({ routes: [route] }, pipelineHash(pipeline)));
    }
  for (const rule of plan.globalRules)
    parts.set(unitOf(rule), () => only({ globalRules: [rule] }, pipelineHash(rule)));
  for (const metadata of plan.pluginMetadata ?? [])
    parts.set(metadataUnit(metadata), () => only({ pluginMetadata: [metadata] }, metadataHash(metadata)));
  return (unit) => {
    const known = emitted.get(unit) ?? parts.get(unit)?.();
    if (known !== undefined) emitted.set(unit, known);
    return known;
  };
}

function only(part: Partial<Plan>, hash: string): ModuleText | undefined {
  return typescript.emit(planOf(part), () => hash)[0]?.text;
}
