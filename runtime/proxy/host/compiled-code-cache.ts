import { compileFunction } from "node:vm";
import type { ModuleCode } from "../../abi/generation.js";
import { addressOfHead, isNote, type SharedModule, WHOLE } from "./module-stack.js";
import { type HoleKind, type ModuleTemplate, matcherOf, parseModuleTemplate } from "./module-template.js";
/** Implementation of `require` for generated code. */
export type Surface = (name: string) => unknown;

/** Templates tried before code is parsed; each that does not match fails within the first lines. */
const MAX_RECENT = 16;
/** Far more than a module of 100 plugins has; V8 allows 65,535 parameters. */
const MAX_LITERALS = 1_000;
const LITERAL = "$literal";

/**
 * Runs modules that differ only in literals and comments by one function, whose arguments are the literals.
 * V8 took 80 µs and 2 kB for each of 20,000 modules of seven templates. The first module of a template is
 * compiled unchanged. Used for one preparation.
 */
export class CompiledCodeCache {
  readonly #shapes = new Map<string, Shape | null>();
  #recent: Shape[] = [];

  /** @returns undefined if the module must be compiled by itself */
  run({ file, code }: ModuleCode, surface: Surface): SharedModule | undefined {
    for (const shape of this.#recent) {
      const match = shape.matcher.exec(code);
      if (match !== null) return shape.run(match.slice(1), surface);
    }
    const shaped = parseModuleTemplate(code);
    if (shaped === undefined || shaped.holes.length > MAX_LITERALS || code.includes(LITERAL))
      return undefined;
    const key = shaped.pieces.join("\0");
    const known = this.#shapes.get(key);
    if (known === undefined) {
      this.#shapes.set(key, null);
      return undefined;
    }
    const shape = known ?? new Shape(shaped, `like ${file}.js`);
    this.#shapes.set(key, shape);
    this.#recent = [shape, ...this.#recent.slice(0, MAX_RECENT - 1)];
    return shape.run(
      shaped.holes.map(({ raw }) => raw),
      surface,
    );
  }
}

type Runnable = (require: Surface, module: { exports: unknown }, ...literals: unknown[]) => void;

class Shape {
  readonly matcher: RegExp;
  readonly #kinds: readonly HoleKind[];
  readonly #lines: readonly number[];
  readonly #name: string;
  readonly #run: Runnable;
  /** Notes of the previous module, shared if equal. */
  #notes = "";

  constructor(shaped: ModuleTemplate, name: string) {
    const { pieces, holes } = shaped;
    this.matcher = matcherOf(shaped);
    this.#kinds = holes.map(({ kind }) => kind);
    this.#lines = holes.map(({ line }) => line);
    this.#name = name;
    const names = holes.map(({ kind }, i) => (kind === "comment" ? "" : `${LITERAL}${i}`));
    const code = pieces.map((piece, i) => piece + (names[i] ?? "")).join("");
    const parameters = ["require", "module", ...names.filter((literal) => literal !== "")];
    this.#run = compileFunction(code, parameters, { filename: name }) as Runnable;
  }

  /** @returns undefined if a string has an escape that JSON does not have */
  run(raws: readonly string[], surface: Surface): SharedModule | undefined {
    const literals = this.#literals(raws);
    if (literals === undefined) return undefined;
    const module: { exports: unknown } = { exports: undefined };
    this.#run(surface, module, ...literals);
    return { exports: module.exports, compiledAs: this.#name, ...this.#origin(raws) };
  }

  #literals(raws: readonly string[]): unknown[] | undefined {
    const texts: string[] = [];
    const patterns: [number, RegExp][] = [];
    this.#kinds.forEach((kind, i) => {
      const raw = raws[i] ?? "";
      if (kind === "text") texts.push(jsonOf(raw));
      if (kind !== "pattern") return;
      const end = raw.lastIndexOf("/");
      patterns.push([texts.length, new RegExp(raw.slice(1, end), raw.slice(end + 1))]);
      texts.push("0");
    });
    try {
      // A single parse creates new strings: a slice would keep the whole text in memory.
      const literals: unknown[] = JSON.parse(`[${texts.join(",")}]`);
      for (const [at, pattern] of patterns) literals[at] = pattern;
      return literals;
    } catch {
      return undefined;
    }
  }

  #origin(raws: readonly string[]): Pick<SharedModule, "address" | "notes"> {
    let address = "";
    let notes = "";
    this.#kinds.forEach((kind, i) => {
      if (kind !== "comment") return;
      const raw = raws[i] ?? "";
      const head = addressOfHead(raw);
      if (head !== undefined) address = head;
      else if (isNote(raw)) notes += `${this.#lines[i]} ${raw.replace(`// ${address} `, `// ${WHOLE} `)}\n`;
    });
    if (notes !== this.#notes) this.#notes = notes;
    // A copy that does not keep the text in memory.
    return { address: Buffer.from(address).toString(), notes: this.#notes };
  }
}

const jsonOf = (raw: string): string =>
  raw.startsWith('"')
    ? raw
    : `"${raw.slice(1, -1).replace(/\\'|"/g, (found) => (found === '"' ? '\\"' : "'"))}"`;
