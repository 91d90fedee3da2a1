import type { RouteCache } from "../4-plan/route-cache.js";
import type { GeneratedModule } from "../5-emit/typescript.js";
import type { EmitTarget } from "../model/emit-target.js";
import type { CompileInput } from "../model/input.js";
import { Compilation, type CompilationOptions, type CompileResult } from "./compilation.js";
import type { FileCache } from "./file-cache.js";
import type { FrontendPart } from "./frontend.js";

/** Cache by the same compiler. It never changes the result, but advice about a cached route is not repeated. */
export interface CompileMemory {
  routes: RouteCache;
  files: FileCache<FrontendPart>;
}

export const optionsOf = (
  { secretKey, now, advice = true }: CompileInput,
  target: EmitTarget<GeneratedModule>,
  memory?: CompileMemory,
): CompilationOptions => ({ target, secretKey, now: () => now, advice, ...memory });

/** TypeScript can express every plan, so its printers are not loaded for a plan. */
export const PLAN: EmitTarget<GeneratedModule> = { name: "plan", lacks: () => [], emit: () => [] };

export const compileToPlan = (input: CompileInput): CompileResult =>
  new Compilation(optionsOf(input, PLAN)).check(input);
