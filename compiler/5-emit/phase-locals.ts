import { Code } from "../plugin/code.js";
import type { FoundVariable } from "../variables/variable.js";
import { nameFromWords, printLiteral } from "./printers.js";

/** Code that reads a variable from the exchange `x`. */
export function readVariable({ variable, parameter }: FoundVariable): Code {
  const literal = parameter === undefined ? "" : printLiteral(parameter);
  return new Code(
    variable.code.replace("%", () => literal),
    "read",
  );
}

/** Variable whose value a phase keeps in a local. */
export interface Local {
  name: string;
  code: Code;
}

/** Calls for one variable with the same result anywhere in the phase, or in one step. */
interface Read {
  code: Code;
  variable: string;
  /** Step that shares the value; undefined for the whole phase. */
  step: number | undefined;
}

/** Printed code of a step, or one of its guards by index. */
export interface Part {
  step: number;
  place: "code" | number;
  code: Code;
}

/** Maximum variables of a phase that may get locals: each one is searched for in the whole printed phase. */
const MAX_SOUGHT = 100;

/**
 * Reads of variables in one phase. The phase is printed once to find repeated calls, and then again with
 * those in locals. Members of the exchange, such as `x.method`, cost nothing and get no local.
 */
export class PhaseLocals {
  readonly #seen: Map<string, Read> = new Map();
  readonly #locals: Map<string, Local> = new Map();
  /** Index of the step that is being printed. */
  step = 0;
  /** True while code is printed that reads the response as it was at the start of the step, as guards do. */
  isUnchanged = false;
  /** Locals that the printed guards of the step have found to be present. */
  readonly present: Set<string> = new Set();

  /** Code that reads the variable here: the call, or the local with its value. */
  read(found: FoundVariable): Code {
    const code = readVariable(found);
    const { variable, parameter = "" } = found;
    if (!code.text.includes("(") || variable.passing === true) return code;
    // A step may change a value that is not from the request; nothing changes between its own guards.
    const isSteady = variable.from === "request";
    if (!isSteady && !this.isUnchanged) return new Code(code.text);
    const step = isSteady ? undefined : this.step;
    const key = `${step ?? ""} ${code.text}`;
    if (this.#seen.size < MAX_SOUGHT)
      this.#seen.set(key, { code, variable: variable.name + parameter, step });
    const local = this.#locals.get(key);
    return local === undefined ? code : new Code(local.name, "name");
  }

  /** Gives locals to calls that occur more than once in `parts`, with names that occur nowhere in them. */
  keep(parts: readonly Part[], isTaken: (name: string) => boolean): Local[] {
    let words: ReadonlySet<string> | undefined;
    for (const [key, { code, variable, step }] of this.#seen) {
      const own = parts.filter((part) => step === undefined || part.step === step);
      const reads = own.flatMap((part) => part.code.each("read"));
      if (reads.filter((read) => read === code.text).length < 2) continue;
      words ??= new Set(parts.flatMap((part) => part.code.text.match(/[\w$]+/g) ?? []));
      const base = nameFromWords(variable);
      const names = [...this.#locals.values()].map(({ name }) => name);
      let name = base;
      for (let n = 2; names.includes(name) || isTaken(name) || words.has(name); n++) name = `${base}${n}`;
      this.#locals.set(key, { name, code });
    }
    return [...this.#locals.values()];
  }
}
