import { type GeneratedModule, typescript } from "./5-emit/typescript.js";
import { Compilation, type CompileResult } from "./compilation/compilation.js";
import { type CompileMemory, optionsOf } from "./compilation/compile-to-plan.js";
import type { EmitTarget } from "./model/emit-target.js";
import type { CompileInput } from "./model/input.js";

export type { CompileResult } from "./compilation/compilation.js";
export type { CompileMemory } from "./compilation/compile-to-plan.js";
export type { CompileInput, StoredResource } from "./model/input.js";

/**
 * Compiles a configuration: parse, validate, resolve, plan, emit with the target. Pure: the same input gives
 * the same bytes. Never throws for invalid input of users. The type check of the generated code is a separate
 * step, `check`.
 */
export const compile = (
  input: CompileInput,
  target: EmitTarget<GeneratedModule> = typescript,
  memory?: CompileMemory,
): CompileResult => new Compilation(optionsOf(input, target, memory)).load(input);
