import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import { unloadable } from "./loadable.js";
import { refuseForeignNames } from "./names.js";
import { shapeOf } from "./shape.js";
import { type CheckedModule, checkTypes } from "./types.js";

const CODES = { types: "GW5001", format: "GW5002" } as const;

/**
 * Step 6: strict types and layout of one module of each shape, and foreign names in every module, which V8 must take. A
 * finding is a fault of the compiler, never of a configuration, but for a module that is too large for V8.
 */
export function checkModules(modules: readonly (CheckedModule & { loadable: string })[]): Diagnostic[] {
  const shapes = new Map<string, CheckedModule>();
  for (const module of modules) {
    const shape = shapeOf(module.typescript);
    if (!shapes.has(shape)) shapes.set(shape, module);
  }
  const faults = checkTypes([...shapes.values()]).map(({ kind, file, line, message }) =>
    diagnostic(CODES[kind], undefined, { file: `${file}.ts`, line, message }),
  );
  for (const { file, loadable } of modules) {
    const reason = refuseForeignNames(loadable);
    if (reason !== null) faults.push(diagnostic("GW5003", undefined, { file, message: reason }));
  }
  return [...unloadable(modules.map(({ file, loadable: code }) => ({ file, code }))), ...faults];
}
