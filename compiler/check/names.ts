import { type Program, parse } from "acorn";
import { ForeignNameError, ModuleReader } from "./module-reader.js";

/**
 * Refuses loadable text that names anything beyond what the runtime and the plugins give: `vm.compileFunction` is no
 * sandbox, so what is loaded must not be able to reach the process.
 * @returns the first reason to refuse, with its line, or null
 */
export function refuseForeignNames(code: string): string | null {
  try {
    new ModuleReader(code).read(parsed(code));
    return null;
  } catch (error) {
    const { at, reason } = refusalOf(error, code);
    return `line ${code.slice(0, at).split("\n").length}: ${reason}`;
  }
}

/** As a module, where no comment begins with `<!--`, nothing has two meanings, and `await` is a word of the language everywhere. */
function parsed(code: string): Program {
  return parse(code, {
    ecmaVersion: 2025,
    sourceType: "module",
    allowHashBang: false,
    allowAwaitOutsideFunction: false,
  });
}

/** acorn says it in this way when its recursion reaches the end of the stack. */
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
