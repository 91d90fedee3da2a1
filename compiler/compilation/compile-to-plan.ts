import type { RouteCache } from "../4-plan/route-cache.js";
import type { GeneratedModule } from "../5-emit/typescript.js";
import type { Cache } from "../cache/cache.js";
import type { EmitTarget } from "../model/emit-target.js";
import type { CompileInput } from "../model/input.js";
import { Compilation, type CompilationOptions, type CompileResult } from "./compilation.js";

/** Cache by the same compiler. It never changes the result, but advice about a cached route is not repeated. */
export interface CompileMemory {
  cache: Cache;
  routes: RouteCache;
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
