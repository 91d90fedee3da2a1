import { Compilation, type CompileResult } from "./compilation.js";
import { type CompileMemory, optionsOf } from "./compile-to-plan.js";
import { type GeneratedModule, typescript } from "./emit/typescript.js";
import type { EmitTarget } from "./emit-target.js";
import type { CompileInput } from "./input.js";

export type { CompileResult } from "./compilation.js";
export type { CompileMemory } from "./compile-to-plan.js";
export type { CompileInput, StoredResource } from "./input.js";

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
