import type { Diagnostic } from "../model/diagnostic.js";
import { runChecks, skeletonsOf } from "./run-checks.js";
import { type CheckedModule, checkTypes } from "./types.js";

/**
 * Step 6: checks types and layout of one module of each skeleton, and every module for foreign names and for
 * code that V8 rejects. A diagnostic means a bug of the compiler, never an invalid configuration, unless a
 * module is too large for V8.
 */
export function checkModules(modules: readonly (CheckedModule & { loadable: string })[]): Diagnostic[] {
  return runChecks(checkTypes, modules, skeletonsOf(modules).values());
}
