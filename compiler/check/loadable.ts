import { compileFunction } from "node:vm";
import type { Diagnostic } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";

/** Refuses modules that V8 would not take, compiled as a worker compiles them (`loadModule`); nothing of them runs. */
export function unloadable(modules: readonly { file: string; code: string }[]): Diagnostic[] {
  return modules.flatMap(({ file, code }) => {
    try {
      compileFunction(code, ["require", "module"], { filename: `${file}.js` });
      return [];
    } catch (error) {
      const message = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
      return [diagnostic("GW5004", undefined, { file, message: message.slice(0, 200) })];
    }
  });
}
