import { sha256 } from "../../runtime/abi/hash.js";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { unloadable } from "./loadable.js";
import { enumeratedValues, skeletonOf } from "./module-skeleton.js";
import { foreignNames } from "./names.js";
import type { CheckedModule, checkTypes } from "./types.js";

const CODES = { types: "GW5001", format: "GW5002" } as const;

/** First module of each skeleton, by the skeleton's SHA-256. */
export function skeletonsOf(modules: readonly CheckedModule[]): Map<string, CheckedModule> {
  const shapes = new Map<string, CheckedModule>();
  const values = enumeratedValues();
  for (const module of modules) {
    const shape = sha256(skeletonOf(module.typescript, values));
    if (!shapes.has(shape)) shapes.set(shape, module);
  }
  return shapes;
}

/**
 * Step 6 with a type check as parameter, so that it is loaded only if needed: half a second and 60 MB.
 * @param shapes modules whose types and layout are checked
 */
export function runChecks(
  types: typeof checkTypes,
  modules: readonly (CheckedModule & { loadable: string })[],
  shapes: Iterable<CheckedModule>,
): Diagnostic[] {
  const faults = types([...shapes]).map(({ kind, file, line, message }) =>
    diagnostic(CODES[kind], undefined, { file: `${file}.ts`, line, message }),
  );
  const loadable = modules.map(({ file, loadable: code }) => ({ file, code }));
  return [...unloadable(loadable), ...faults, ...foreignNames(loadable)];
}
