import { Code, code } from "../plugin/code.js";
import type { FoundVariable } from "../variables/variable.js";
import { type PhaseLocals, readVariable } from "./phase-locals.js";
import { literalCode } from "./printers.js";

export interface Constant {
  /** Comment line above it, or null. */
  comment: string | null;
  name: string;
  value: Code;
}

/** Names that generated code uses itself; constants get other names. */
const TAKEN = ["x", "shown", "found", "headers", "text", "module", "exports", "require"];

/** Maximum length of a text that is printed in place instead of as a constant. */
const INLINE_TEXT = 60;

/** Minimum length of a value that two resources share as a constant. */
const WORTH_A_NAME = 40;

/** Module that every generated module may import. */
export const RUNTIME = "gwc/runtime";

/** Module with the calls of a plugin. */
export const pluginModule = (plugin: string): string => `gwc/plugins/${plugin}`;

/** Imports and constants of one module, collected while its phases are printed. */
export class ModuleScope {
  /** Imported names, each with its module. */
  readonly imports: Map<string, string> = new Map();
  readonly constants: Constant[] = [];
  readonly #names: Set<string> = new Set(TAKEN);
  /** Lowest number of a base name that may be free. */
  #free: Map<string, number> = new Map();
  readonly #texts: Map<string, Code> = new Map();
  readonly #isCounting: boolean;
  #isReusing = false;

  /** Constants of plugins' shared resources, by plugin; each has a member `resource`. */
  readonly resources: Map<string, Code> = new Map();

  /** Locals of the phase that is being printed. */
  phase: PhaseLocals | undefined;
  /** Code that reads a variable in that phase. Not for separate functions, such as those of records. */
  readonly read = (found: FoundVariable): Code => this.phase?.read(found) ?? readVariable(found);

  /** Reports whether the code is a local that a guard has found to be present. */
  isPresent({ kind, text }: Code): boolean {
    return kind === "name" && this.phase?.present.has(text) === true;
  }

  /** Occurrences of each value in the shared resources; a repeated value becomes a constant. */
  readonly #values: Map<string, number>;
  readonly #shared: Map<string, Code> = new Map();

  /** @param counted scope of a first pass over the same resources */
  constructor(counted?: ModuleScope) {
    this.#values = counted === undefined ? new Map() : counted.#values;
    this.#isCounting = counted === undefined;
  }

  /**
   * Prints a value of a shared resource: as a constant of this name if another has the same value.
   * @param declared value of the constant
   */
  shared(name: string, value: Code, declared: () => Code): Code {
    const bare = value.text;
    if (this.#isCounting) this.#values.set(bare, (this.#values.get(bare) ?? 0) + 1);
    if (this.#isCounting || (this.#values.get(bare) ?? 0) < 2 || bare.length < WORTH_A_NAME) return value;
    const known = this.#shared.get(bare) ?? this.constant(name, declared());
    this.#shared.set(bare, known);
    return known;
  }

  /** Reports whether a constant or an import has that name. */
  isTaken(name: string): boolean {
    return this.#names.has(name) || this.imports.has(name);
  }

  /** Returns a function that drops everything collected since this call. */
  mark(): () => void {
    const [constants, imports] = [this.constants.length, [...this.imports]];
    const [names, texts, shared] = [[...this.#names], [...this.#texts], [...this.#shared]];
    const free = new Map(this.#free);
    return () => {
      this.constants.length = constants;
      this.#free = new Map(free);
      refill(this.imports, imports);
      refill(this.#texts, texts);
      refill(this.#shared, shared);
      this.#names.clear();
      for (const name of names) this.#names.add(name);
    };
  }

  /**
   * Drops unused constants and imports, which a constant condition leaves behind. Used are names in `written`
   * and in used constants.
   */
  withoutUnused(written: Code): void {
    const used = new Set(written.each("name"));
    const kept: Constant[] = [];
    for (const constant of this.constants.toReversed()) {
      if (!used.has(constant.name)) continue;
      kept.push(constant);
      for (const name of constant.value.each("name")) used.add(name);
    }
    this.constants.splice(0, this.constants.length, ...kept.reverse());
    for (const name of this.imports.keys()) if (!used.has(name)) this.imports.delete(name);
  }

  /** @throws Error if two modules export that name, which is a bug of a plugin */
  imported(name: string, module = RUNTIME): Code {
    const known = this.imports.get(name);
    if (known !== undefined && known !== module)
      throw new Error(`${known} and ${module} both have "${name}"`);
    this.imports.set(name, module);
    return new Code(name, "name");
  }

  /** Reuses existing constants from now on. */
  reusing(): this {
    this.#isReusing = true;
    return this;
  }

  /**
   * Defines a constant `base`, or `base2`, `base3` … if the name is taken. Names say what a value is for, and
   * never depend on the value: modules that differ only in literals share their compiled code.
   */
  constant(base: string, value: Code, note: string | null = null): Code {
    const present = this.#isReusing
      ? this.constants.find((constant) => constant.value.text === value.text && constant.comment === note)
      : undefined;
    const name = present?.name ?? this.#freeName(base);
    if (present === undefined) this.constants.push({ comment: note, name, value });
    this.#names.add(name);
    return new Code(name, "name");
  }

  #freeName(base: string): string {
    if (!this.#names.has(base)) return base;
    let n = this.#free.get(base) ?? 2;
    while (this.#names.has(`${base}${n}`)) n++;
    this.#free.set(base, n);
    return `${base}${n}`;
  }

  /**
   * Prints a byte string: a literal for ASCII, otherwise a constant with UTF-8 text or base64.
   * @param name name of the constant
   */
  bytes(value: string, name = "nonAsciiText"): Code {
    if (/^[\0-\x7f]*$/.test(value)) return literalCode(value);
    const known = this.#texts.get(value) ?? this.constant(name, this.#decoded(value));
    this.#texts.set(value, known);
    return known;
  }

  /** Prints a byte string like `bytes`, but as a constant of that name, also for long ASCII texts. */
  namedBytes(value: string, name: string): Code {
    if (/[^\0-\xff]/.test(value))
      throw new TypeError(`"${value}" is no byte string: byteString(text) makes one`);
    const ascii = /^[\0-\x7f]*$/.test(value);
    if (ascii && value.length <= INLINE_TEXT) return literalCode(value);
    return this.constant(name, ascii ? literalCode(value) : this.#decoded(value));
  }

  #decoded(value: string): Code {
    const bytes = Buffer.from(value, "latin1");
    const text = bytes.toString("utf8");
    const isUtf8 = Buffer.from(text, "utf8").equals(bytes);
    const literal = literalCode(isUtf8 ? text : bytes.toString("base64"));
    return code`${this.imported(isUtf8 ? "utf8" : "base64")}(${literal})`;
  }
}

function refill<V>(map: Map<string, V>, entries: readonly [string, V][]): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}
