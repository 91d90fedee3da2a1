import type { FoundVariable } from "../plan/variable.js";
import { nameFromWords, printLiteral } from "./printers.js";

/** The program text that reads a variable from the exchange `x`. */
export function readVariable({ variable, parameter }: FoundVariable): string {
  return parameter === undefined ? variable.code : variable.code.replace("%", () => printLiteral(parameter));
}

/** A variable whose value a phase keeps in a local. */
export interface Local {
  name: string;
  /** What reads the variable. */
  code: string;
}

/** Calls for one variable that give the same value wherever they stand in the phase, or in the guards of one step. */
interface Read {
  code: string;
  variable: string;
  /** Undefined: anywhere in the phase. */
  guardsOf: number | undefined;
}

/** The code of a step, or one of its guards by its number, as it was printed. */
export interface Part {
  step: number;
  place: "code" | number;
  text: string;
}

/** Variables of a phase that may get locals, the first ones: each is sought in all that the phase is printed as. */
const MAX_SOUGHT = 100;

/**
 * The calls by which one phase reads variables. It is printed once to see which are made more than once, and then again with
 * those in locals. Members of the exchange, as `x.method`, cost nothing and stay what they are.
 */
export class PhaseLocals {
  readonly #seen: Map<string, Read> = new Map();
  readonly #locals: Map<string, Local> = new Map();
  /** The step that is printed. */
  step = 0;
  /** What is printed of it are its guards. */
  isGuard = false;

  /** The code that reads the variable here: the call, or the local that has its value. */
  read(found: FoundVariable): string {
    const code = readVariable(found);
    const { variable, parameter = "" } = found;
    if (!code.includes("(") || variable.passing === true) return code;
    // A step may change what came of the request so far; between its own guards nothing does.
    const isSteady = variable.from === "request";
    if (!isSteady && !this.isGuard) return code;
    const guardsOf = isSteady ? undefined : this.step;
    const key = `${guardsOf ?? ""} ${code}`;
    if (this.#seen.size < MAX_SOUGHT)
      this.#seen.set(key, { code, variable: variable.name + parameter, guardsOf });
    return this.#locals.get(key)?.name ?? code;
  }

  /** Gives locals to what stands more than once in `parts`, under names that occur nowhere in them. */
  keep(parts: readonly Part[], isTaken: (name: string) => boolean): Local[] {
    let words: ReadonlySet<string> | undefined;
    for (const [key, { code, variable, guardsOf }] of this.#seen) {
      const own = parts.filter(
        ({ step, place }) => guardsOf === undefined || (place !== "code" && step === guardsOf),
      );
      if (own.reduce((sum, { text }) => sum + text.split(code).length - 1, 0) < 2) continue;
      words ??= new Set(parts.flatMap(({ text }) => wordsIn(text)));
      const base = nameFromWords(variable);
      const names = [...this.#locals.values()].map(({ name }) => name);
      let name = base;
      for (let n = 2; names.includes(name) || isTaken(name) || words.has(name); n++) name = `${base}${n}`;
      this.#locals.set(key, { name, code });
    }
    return [...this.#locals.values()];
  }
}

/** Names and other words of a program text, in order. */
export const wordsIn = (text: string): readonly string[] => text.match(/[\w$]+/g) ?? [];

/** Whether the text has the name as a word. */
export function mentions(text: string, name: string): boolean {
  return new RegExp(`(?<![\\w$])${name.replaceAll("$", "\\$")}(?![\\w$])`).test(text);
}
