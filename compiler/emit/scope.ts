import type { ConfigPath } from "../plan/plan.js";
import type { FoundVariable } from "../plan/variable.js";
import { Code } from "../plugin/definition.js";
import { type PhaseLocals, readVariable, wordsIn } from "./phase-locals.js";
import { printLiteral } from "./printers.js";
import { tagOf, withoutTags } from "./tag.js";

/** A constant of the module under way. */
export interface Constant {
  /** Comment line above it, or null. */
  comment: string | null;
  name: string;
  value: string;
}

/** Names that a module uses by itself; constants stay clear of them. */
const TAKEN = ["x", "shown", "found", "headers", "text", "module", "exports", "require"];

/** Longest text that stays inside a phase where it could have a name. */
const INLINE_TEXT = 60;

/** Shortest value that two resources say once. */
const WORTH_A_NAME = 40;

/** What every module may take from. */
export const RUNTIME = "gwc/runtime";

/** What modules take the calls of a plugin from. */
export const pluginModule = (plugin: string): string => `gwc/plugins/${plugin}`;

/** Imports and constants of one module, collected while its phases are printed. */
export class ModuleScope {
  /** Names, each with the module that has it. */
  readonly imports: Map<string, string> = new Map();
  readonly constants: Constant[] = [];
  readonly #names: Set<string> = new Set(TAKEN);
  /** Numbers from which on names of a base can be free: all below are taken. */
  #free: Map<string, number> = new Map();
  readonly #texts: Map<string, Code> = new Map();
  /** By address, in the order of their numbers. */
  readonly #tags: Map<ConfigPath, string> = new Map();
  readonly #isCounting: boolean;
  #isReusing = false;

  /** Constants that plugins' resources became, by plugin; each has a member `resource`. */
  readonly resources: Map<string, Code> = new Map();

  /** Where variables are read from in the phase that is printed. */
  phase: PhaseLocals | undefined;
  /** The code that reads a variable in that phase. Not for functions of their own, as records are. */
  readonly read = (found: FoundVariable): string => this.phase?.read(found) ?? readVariable(found);

  /** How often each value stands in the resources; what stands there more than once becomes a constant. */
  readonly #values: Map<string, number>;
  readonly #shared: Map<string, Code> = new Map();

  /** @param counted the scope of a first pass over the same resources */
  constructor(counted?: ModuleScope) {
    this.#values = counted === undefined ? new Map() : counted.#values;
    this.#isCounting = counted === undefined;
  }

  /** A value of a resource: a constant of that name where another resource has the same. @param declared the constant's value */
  shared(name: string, value: string, declared: () => string): Code {
    const bare = withoutTags(value);
    if (this.#isCounting) this.#values.set(bare, (this.#values.get(bare) ?? 0) + 1);
    if (this.#isCounting || (this.#values.get(bare) ?? 0) < 2 || bare.length < WORTH_A_NAME)
      return new Code(value);
    const known = this.#shared.get(bare) ?? this.constant(name, declared());
    this.#shared.set(bare, known);
    return known;
  }

  /** Addresses that tags name, by number. */
  get addresses(): ConfigPath[] {
    return [...this.#tags.keys()];
  }

  /** Code with the address of the part of the configuration that it is made from. */
  from(origin: ConfigPath, code: string): string {
    let tag = this.#tags.get(origin);
    if (tag === undefined) {
      tag = tagOf(this.#tags.size);
      this.#tags.set(origin, tag);
    }
    return tag + code;
  }

  /** Whether a constant or something imported has that name. */
  isTaken(name: string): boolean {
    return this.#names.has(name) || this.imports.has(name);
  }

  /** Forgets, when it is called, what is collected from now on. */
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
   * A condition that turns out constant leaves behind what was collected for it: drops constants and imports that neither
   * `written` nor a constant in use names. Comments do not count.
   */
  withoutUnused(written: string): void {
    const used = new Set(wordsIn(written.replace(/^\s*\/\/.*$/gm, "")));
    const kept: Constant[] = [];
    for (const constant of this.constants.toReversed()) {
      if (!used.has(constant.name)) continue;
      kept.push(constant);
      for (const word of wordsIn(constant.value)) used.add(word);
    }
    this.constants.splice(0, this.constants.length, ...kept.reverse());
    for (const name of this.imports.keys()) if (!used.has(name)) this.imports.delete(name);
  }

  /** @throws Error when two modules have that name: a fault of a plugin */
  imported(name: string, module = RUNTIME): Code {
    const known = this.imports.get(name);
    if (known !== undefined && known !== module)
      throw new Error(`${known} and ${module} both have "${name}"`);
    this.imports.set(name, module);
    return new Code(name);
  }

  /** `base`, or `base2`, `base3` … when it is taken. */
  constant(base: string, value: string, note: string | null = null): Code {
    const name = this.#names.has(base) ? this.#numberedName(base, 2) : base;
    return this.#define(name, value, note);
  }

  /** From now on a numbered constant that is there already is not made again. */
  reusing(): this {
    this.#isReusing = true;
    return this;
  }

  /** `base0`, `base1` …: constants that come in rows. */
  numbered(base: string, value: string, note: string | null = null): Code {
    const present = this.#isReusing
      ? this.constants.find((constant) => constant.value === value && constant.comment === note)
      : undefined;
    if (present !== undefined) return new Code(present.name);
    return this.#define(this.#numberedName(base, 0), value, note);
  }

  /** The first of `base0`, `base1` … from `first` on that is free. */
  #numberedName(base: string, first: number): string {
    const key = `${first} ${base}`;
    let n = this.#free.get(key) ?? first;
    while (this.#names.has(`${base}${n}`)) n++;
    this.#free.set(key, n);
    return `${base}${n}`;
  }

  /** A byte string: a literal where it is ASCII, else a constant that says it as UTF-8 text or base64. */
  bytes(value: string): Code {
    if (/^[\0-\x7f]*$/.test(value)) return new Code(printLiteral(value));
    let code = this.#texts.get(value);
    if (code === undefined) {
      code = this.numbered("text", this.#decoded(value));
      this.#texts.set(value, code);
    }
    return code;
  }

  /** The same under a name of its own, which long ASCII texts get too. */
  namedBytes(value: string, name: string): Code {
    if (/[^\0-\xff]/.test(value))
      throw new TypeError(`"${value}" is no byte string: byteString(text) makes one`);
    const ascii = /^[\0-\x7f]*$/.test(value);
    if (ascii && value.length <= INLINE_TEXT) return new Code(printLiteral(value));
    return this.constant(name, ascii ? printLiteral(value) : this.#decoded(value));
  }

  #decoded(value: string): string {
    const bytes = Buffer.from(value, "latin1");
    const text = bytes.toString("utf8");
    if (Buffer.from(text, "utf8").equals(bytes))
      return `${this.imported("utf8").text}(${printLiteral(text)})`;
    return `${this.imported("base64").text}(${printLiteral(bytes.toString("base64"))})`;
  }

  #define(name: string, value: string, note: string | null): Code {
    this.#names.add(name);
    this.constants.push({ comment: note, name, value });
    return new Code(name);
  }
}

function refill<V>(map: Map<string, V>, entries: readonly [string, V][]): void {
  map.clear();
  for (const [key, value] of entries) map.set(key, value);
}
