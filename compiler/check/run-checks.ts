import { sha256 } from "../../runtime/abi/hash.js";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";
import { unloadable } from "./loadable.js";
import { skeletonOf } from "./module-skeleton.js";
import { refuseForeignNames } from "./names.js";
import type { CheckedModule, checkTypes } from "./types.js";

const CODES = { types: "GW5001", format: "GW5002" } as const;

/** The first module of each shape, by the shape's hash. */
export function shapesOf(modules: readonly CheckedModule[]): Map<string, CheckedModule> {
  const shapes = new Map<string, CheckedModule>();
  for (const module of modules) {
    const shape = sha256(skeletonOf(module.typescript));
    if (!shapes.has(shape)) shapes.set(shape, module);
  }
  return shapes;
}

/**
 * Step 6 by a type check that need not be loaded where there is nothing for it: half a second and 60 MB.
 * @param shapes modules of which types and layout are to be checked
 */
export function runChecks(
  types: typeof checkTypes,
  modules: readonly (CheckedModule & { loadable: string })[],
  shapes: Iterable<CheckedModule>,
): Diagnostic[] {
  const faults = types([...shapes]).map(({ kind, file, line, message }) =>
    diagnostic(CODES[kind], undefined, { file: `${file}.ts`, line, message }),
  );
  for (const { file, loadable } of modules) {
    const reason = refuseForeignNames(loadable);
    if (reason !== null) faults.push(diagnostic("GW5003", undefined, { file, message: reason }));
  }
  return [...unloadable(modules.map(({ file, loadable: code }) => ({ file, code }))), ...faults];
}
