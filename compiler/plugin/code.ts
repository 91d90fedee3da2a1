import type { ConfigPath } from "../model/plan.js";

/** Program text that prints itself, or code in it. */
export type CodePart = string | Code;

/**
 * `name`: use of a constant, an import or a local of the module. `read`: call that reads a variable, which a
 * phase may keep in a local.
 */
export type CodeKind = "name" | "read";

/**
 * Program text that is safe to print. Only printers of the emit step create it, a plugin's view can only pass
 * it on, and templates print nothing else. It is a tree, so that names and origins are read from it instead
 * of from its text. Code within a line takes the indentation of that line.
 */
export class Code {
  readonly parts: readonly CodePart[];
  readonly kind: CodeKind | undefined;
  /** Setting or resource that the code comes from; source maps lead there. */
  readonly path: ConfigPath | undefined;
  /** Characters without indentation. */
  readonly length: number;
  readonly isOneLine: boolean;
  /** True if the code or code in it has a path. */
  readonly hasPath: boolean;

  constructor(parts: CodePart | readonly CodePart[], kind?: CodeKind, path?: ConfigPath) {
    this.parts = typeof parts === "string" || parts instanceof Code ? [parts] : parts;
    this.kind = kind;
    this.path = path;
    let length = 0;
    let isOneLine = true;
    let hasPath = path !== undefined;
    for (const part of this.parts) {
      length += part.length;
      if (typeof part === "string") isOneLine &&= !part.includes("\n");
      else {
        isOneLine &&= part.isOneLine;
        hasPath ||= part.hasPath;
      }
    }
    this.length = length;
    this.isOneLine = isOneLine;
    this.hasPath = hasPath;
  }

  get text(): string {
    if (!this.isOneLine) return renderCode(this).text;
    let text = "";
    for (const part of this.parts) text += typeof part === "string" ? part : part.text;
    return text;
  }

  /** Returns the texts of the parts of that kind, in order. */
  each(kind: CodeKind, found: string[] = []): string[] {
    if (this.kind === kind) found.push(this.text);
    else for (const part of this.parts) if (typeof part !== "string") part.each(kind, found);
    return found;
  }
}

export const EMPTY: Code = new Code("");

/** Code of a template literal. */
export function code(strings: readonly string[], ...holes: readonly Code[]): Code {
  const parts: CodePart[] = [];
  for (const [i, text] of strings.entries()) {
    if (text !== "") parts.push(text);
    const hole = holes[i];
    if (hole !== undefined) parts.push(hole);
  }
  return new Code(parts);
}

export function joinCode(codes: readonly Code[], separator: string): Code {
  const parts: CodePart[] = [];
  for (const one of codes) {
    if (parts.length > 0 && separator !== "") parts.push(separator);
    parts.push(one);
  }
  return new Code(parts);
}

/** Code that comes from that part of the configuration. */
export function from(path: ConfigPath, inside: Code): Code {
  return new Code(inside, undefined, path);
}

/** Code that comes from the last of the paths, which lies in those before. */
export function fromAll(paths: readonly ConfigPath[], inside: Code): Code {
  return paths.reduceRight((around, path) => from(path, around), inside);
}

/** Paths around the first use of each name, the outermost first. */
export function firstUses(codes: readonly Code[]): ReadonlyMap<string, readonly ConfigPath[]> {
  const found = new Map<string, readonly ConfigPath[]>();
  const visit = (code: Code, around: readonly ConfigPath[]): void => {
    if (code.kind === "name") {
      if (!found.has(code.text)) found.set(code.text, around);
      return;
    }
    const inside = code.path === undefined ? around : [...around, code.path];
    for (const part of code.parts) if (typeof part !== "string") visit(part, inside);
  };
  for (const code of codes) visit(code, []);
  return found;
}

/** Text of a module, and the settings that its code comes from in the form of `readStatementPaths`. */
export interface RenderedCode {
  text: string;
  paths: string;
}

export function renderCode(root: Code): RenderedCode {
  const writer = new Writer();
  writer.write(root, 0);
  return { text: writer.text, paths: writer.paths.join("\n") };
}

class Writer {
  text = "";
  readonly paths: string[] = [];
  #line = 0;
  #column = 0;
  /** Indentation of the current line; undefined before its first character. */
  #indent: number | undefined;
  /** True before the first visible character of a line. */
  #isBlank = true;
  #depth = 0;
  #recordedDepth = 0;
  #lastPath: ConfigPath = "";

  /** @param indent indentation of lines that begin in this code */
  write(code: Code, indent: number): void {
    if (code.path !== undefined) this.#enter(code.path, indent);
    for (const part of code.parts) {
      if (typeof part === "string") this.#lines(part, indent);
      else if (part.isOneLine && !part.hasPath) this.#segment(part.text, indent);
      else this.write(part, this.#indent ?? indent);
    }
    if (code.path !== undefined) this.#depth--;
  }

  #lines(text: string, indent: number): void {
    let from = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", from)) {
      this.#segment(text.slice(from, end), indent);
      this.text += "\n";
      this.#line++;
      this.#column = 0;
      this.#indent = undefined;
      this.#isBlank = true;
      from = end + 1;
    }
    this.#segment(from === 0 ? text : text.slice(from), indent);
  }

  #segment(text: string, indent: number): void {
    if (this.#isBlank && text !== "") {
      if (this.#indent === undefined) {
        this.#indent = indent;
        this.text += " ".repeat(indent);
        this.#column = indent;
      }
      const blanks = text.search(/\S/);
      this.#indent += blanks < 0 ? text.length : blanks;
      this.#isBlank = blanks < 0;
      if (blanks >= 0 && this.#depth < this.#recordedDepth) this.#record(this.#indent, this.#depth, "");
    }
    this.text += text;
    this.#column += text.length;
  }

  #enter(path: ConfigPath, indent: number): void {
    const shared = sharedLength(this.#lastPath, path);
    const column = this.#isBlank ? (this.#indent ?? indent) : this.#column;
    this.#record(column, this.#depth, ` ${shared} ${path.slice(shared)}`);
    this.#lastPath = path;
    this.#depth++;
    this.#recordedDepth = this.#depth;
  }

  #record(column: number, depth: number, path: string): void {
    this.paths.push(`${this.#line} ${column} ${depth}${path}`);
    this.#recordedDepth = depth;
  }
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one.charCodeAt(length) === other.charCodeAt(length)) length++;
  return length;
}
