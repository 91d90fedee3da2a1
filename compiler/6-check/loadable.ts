import { compileFunction } from "node:vm";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";

/** Reports modules that V8 does not accept. They are compiled as in a worker (`loadModule`), but not run. */
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
