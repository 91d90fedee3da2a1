import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { runChecks, shapesOf } from "./run-checks.js";
import { type CheckedModule, checkTypes } from "./types.js";

/**
 * Step 6: strict types and layout of one module of each shape, and foreign names in every module, which V8 must take. A
 * finding is a fault of the compiler, never of a configuration, but for a module that is too large for V8.
 */
export function checkModules(modules: readonly (CheckedModule & { loadable: string })[]): Diagnostic[] {
  return runChecks(checkTypes, modules, shapesOf(modules).values());
}
