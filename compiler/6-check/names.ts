import { type Program, parse } from "acorn";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import { ForeignNameError, ModuleReader } from "./module-reader.js";

/**
 * Rejects loadable text that names anything outside of the exports of runtime and plugins:
 * `vm.compileFunction` is no sandbox, so loaded code must not be able to reach the process.
 * @returns the first reason with its line, or null
 */
export function foreignNameReason(code: string): string | null {
  try {
    new ModuleReader(code).read(parsed(code));
    return null;
  } catch (error) {
    const { at, reason } = refusalOf(error, code);
    return `line ${code.slice(0, at).split("\n").length}: ${reason}`;
  }
}

export const foreignNames = (modules: readonly { file: string; code: string }[]): Diagnostic[] =>
  modules.flatMap(({ file, code }) => {
    const reason = foreignNameReason(code);
    return reason === null ? [] : [diagnostic("GW5003", undefined, { file, message: reason })];
  });

/**
 * Parses as a module: no comment begins with `<!--`, no syntax is ambiguous, and `await` is always a keyword.
 */
function parsed(code: string): Program {
  return parse(code, {
    ecmaVersion: 2025,
    sourceType: "module",
    allowHashBang: false,
    allowAwaitOutsideFunction: false,
  });
}

/** Message of acorn when its recursion exhausts the stack. */
const DEEP = /^Not enough stack space/;

function refusalOf(error: unknown, code: string): ForeignNameError {
  if (error instanceof ForeignNameError) return error;
  if (error instanceof RangeError || (error instanceof SyntaxError && DEEP.test(error.message)))
    return new ForeignNameError(0, "nested too deeply to be read");
  if (error instanceof SyntaxError && "pos" in error && typeof error.pos === "number") {
    if (/^await\b/.test(code.slice(error.pos)))
      return new ForeignNameError(
        error.pos,
        'it waits for something in a phase that does not: the plugin lacks "asyncAccess: true"',
      );
    return new ForeignNameError(
      error.pos,
      `unexpected ${JSON.stringify(code.slice(error.pos, error.pos + 20))}`,
    );
  }
  throw error;
}
