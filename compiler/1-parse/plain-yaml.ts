import type { MarkedKey, NodeSpan, Parsed } from "./marks.js";
import { put } from "./values.js";

/** Maximum nesting; the full parser reads deeper texts and has a diagnostic for them. */
const DEEPEST = 40;

// No character ends a plain text or changes its meaning, so they read the same in every context.
const KEY = /([A-Za-z_$][\w$./-]*)(?=:(?: |\n|$))|"([^"\\\n]{0,200})"(?=:(?: |\n|$))/y;
const FLOW_KEY = /([A-Za-z_$][\w$./-]*)(?=: )|"([^"\\\n]{0,200})"(?=:)/y;
const QUOTED = /"(?:[^"\\\n]|\\["\\/bfnrt])*"|'[^'\n]*'/y;
const PLAIN = /[\w/$^(.-](?:[^\n:#]|:(?![ \n]|$)|(?<=[^ ])#)*/y;
const FLOW_PLAIN = /[\w/$^(.-][^\s,[\]{}:#"'&*!|>%@`]*/y;
const BLANKS = / */y;
const EMPTY_LINE = / *(#[^\n]*)?(?:\n|$)/y;
const LINE_END = /(?: +#[^\n]*| *)(?:\n|$)/y;
const MARKER = /^(?:---|\.\.\.|%)/m;

const WORDS: ReadonlyMap<string, boolean | null> = new Map([
  ...["true", "True", "TRUE"].map((word) => [word, true] as const),
  ...["false", "False", "FALSE"].map((word) => [word, false] as const),
  ...["null", "Null", "NULL"].map((word) => [word, null] as const),
]);
const NUMBER = /^-?(?:0|[1-9][0-9]{0,14})(?:\.[0-9]{0,6}[1-9])?$/;
/** "127.0.0.1:80", "10s", "1.2.3": no number begins like this or contains such a letter. */
const NO_NUMBER = /^(?:[A-Za-z_/$^(]|[0-9]+\.[0-9]+\.|[0-9][\w.:/-]*[g-wyzG-WYZ:/])/;

/** Thrown at syntax that is not plain; never leaves this file. */
class UnusualYamlError extends Error {}
const unusual = new UnusualYamlError("not plain");

/**
 * Parses the YAML of most configurations, six times as fast as the full parser: block lists and objects, flow
 * ones on one line, texts and numbers on one line, and comments. Values and marks are those of `parseYaml`.
 * @returns undefined for any other text, including faults, so that only one parser decides on them
 */
export function parsePlainYaml(text: string): Parsed | undefined {
  if (/[\t\r\ufeff]|\p{Surrogate}/u.test(text) || MARKER.test(text)) return undefined;
  try {
    return new PlainReader(text).document();
  } catch (fault) {
    if (fault === unusual) return undefined;
    throw fault;
  }
}

class PlainReader {
  readonly #text: string;
  #at = 0;
  /** Column of the line's first character; -1 at the end. */
  #indent = 0;
  /** Offset after the line break of the last non-empty line, the end of blocks that end with it. */
  #tail = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): Parsed {
    if (this.#nextLine() !== 0) throw unusual;
    const parsed = this.#block(0, 0);
    if (this.#at < this.#text.length) throw unusual;
    return parsed;
  }

  /** Skips empty lines. A comment deeper than the next line would belong to the block that ends there. */
  #nextLine(): number {
    let deepest = 0;
    for (;;) {
      BLANKS.lastIndex = this.#at;
      BLANKS.test(this.#text);
      const start = BLANKS.lastIndex;
      EMPTY_LINE.lastIndex = this.#at;
      const comment = EMPTY_LINE.exec(this.#text);
      if (comment === null) {
        this.#indent = start - this.#at;
        this.#at = start;
        break;
      }
      if (comment[1] !== undefined) deepest = Math.max(deepest, start - this.#at);
      this.#at = EMPTY_LINE.lastIndex;
      if (this.#at >= this.#text.length) {
        this.#indent = -1;
        break;
      }
    }
    if (deepest > Math.max(this.#indent, 0)) throw unusual;
    return this.#indent;
  }

  #endLine(): void {
    LINE_END.lastIndex = this.#at;
    if (!LINE_END.test(this.#text)) throw unusual;
    this.#at = this.#tail = LINE_END.lastIndex;
    this.#nextLine();
  }

  #block(indent: number, depth: number): Parsed {
    if (depth > DEEPEST) throw unusual;
    return this.#isItem() ? this.#list(indent, depth) : this.#object(indent, depth);
  }

  #isItem(): boolean {
    return this.#text[this.#at] === "-" && this.#text[this.#at + 1] === " ";
  }

  #list(indent: number, depth: number): Parsed {
    const value: unknown[] = [];
    const items: NodeSpan[] = [];
    const mark: NodeSpan = { start: this.#at, end: 0, items };
    while (this.#indent === indent && this.#isItem()) {
      const dash = this.#at;
      this.#at += 1;
      this.#skipBlanks();
      const item = this.#isKey()
        ? this.#object(indent + this.#at - dash, depth + 1)
        : this.#inLine(indent, depth + 1);
      value.push(item.value);
      items.push(item.mark);
    }
    if (this.#indent > indent) throw unusual;
    mark.end = this.#tail;
    return { value, mark };
  }

  #isKey(): boolean {
    KEY.lastIndex = this.#at;
    return KEY.test(this.#text);
  }

  #object(indent: number, depth: number): Parsed {
    if (depth > DEEPEST) throw unusual;
    const value: Record<string, unknown> = {};
    const keys = new Map<string, MarkedKey>();
    const mark: NodeSpan = { start: this.#at, end: 0, keys };
    do {
      const start = this.#at;
      const name = this.#key(KEY);
      const end = this.#at;
      if (keys.has(name)) throw unusual;
      this.#at += 1;
      const member = this.#member(indent, depth + 1);
      keys.set(name, { start, end, value: member.mark });
      put(value, name, member.value);
    } while (this.#indent === indent && !this.#isItem());
    if (this.#indent > indent) throw unusual;
    mark.end = this.#tail;
    return { value, mark };
  }

  #key(form: RegExp): string {
    form.lastIndex = this.#at;
    const [, plain, quoted] = form.exec(this.#text) ?? [];
    const name = plain ?? quoted;
    if (name === undefined || (plain !== undefined && WORDS.has(plain))) throw unusual;
    this.#at = form.lastIndex;
    return name;
  }

  /** Reads on the line of the key, or on deeper lines; a list may have the indentation of its key. */
  #member(indent: number, depth: number): Parsed {
    LINE_END.lastIndex = this.#at;
    if (!LINE_END.test(this.#text)) {
      this.#skipBlanks();
      return this.#inLine(indent, depth);
    }
    this.#at = LINE_END.lastIndex;
    this.#nextLine();
    if (this.#indent > indent || (this.#indent === indent && this.#isItem()))
      return this.#block(this.#indent, depth);
    throw unusual;
  }

  #inLine(indent: number, depth: number): Parsed {
    const parsed = this.#value(PLAIN, depth);
    this.#endLine();
    // A deeper line would continue the text.
    if (this.#indent > indent) throw unusual;
    return parsed;
  }

  #value(plain: RegExp, depth: number): Parsed {
    if (depth > DEEPEST) throw unusual;
    const first = this.#text[this.#at];
    if (first === "{") return this.#flowObject(depth);
    if (first === "[") return this.#flowList(depth);
    const start = this.#at;
    if (first === '"' || first === "'") {
      const raw = this.#taken(QUOTED);
      return { value: unquoted(raw), mark: { start, end: this.#at } };
    }
    const raw = this.#taken(plain).trimEnd();
    this.#at = start + raw.length;
    return { value: scalar(raw), mark: { start, end: this.#at } };
  }

  #flowObject(depth: number): Parsed {
    const value: Record<string, unknown> = {};
    const keys = new Map<string, MarkedKey>();
    const mark: NodeSpan = { start: this.#at, end: 0, keys };
    this.#members("}", () => {
      const start = this.#at;
      const name = this.#key(FLOW_KEY);
      const end = this.#at;
      if (keys.has(name)) throw unusual;
      this.#at += 1;
      this.#skipBlanks();
      const member = this.#value(FLOW_PLAIN, depth + 1);
      keys.set(name, { start, end, value: member.mark });
      put(value, name, member.value);
    });
    mark.end = this.#at;
    return { value, mark };
  }

  #flowList(depth: number): Parsed {
    const value: unknown[] = [];
    const items: NodeSpan[] = [];
    const mark: NodeSpan = { start: this.#at, end: 0, items };
    this.#members("]", () => {
      const item = this.#value(FLOW_PLAIN, depth + 1);
      value.push(item.value);
      items.push(item.mark);
    });
    mark.end = this.#at;
    // A list built by push reserves room for 16 more items: 25 MB for 20,000 routes.
    return { value: value.slice(), mark };
  }

  #members(close: "}" | "]", member: () => void): void {
    this.#at += 1;
    this.#skipBlanks();
    while (this.#text[this.#at] !== close) {
      member();
      this.#skipBlanks();
      if (this.#text[this.#at] === close) break;
      if (this.#text[this.#at] !== ",") throw unusual;
      this.#at += 1;
      this.#skipBlanks();
      if (this.#text[this.#at] === close) throw unusual;
    }
    this.#at += 1;
  }

  #taken(form: RegExp): string {
    form.lastIndex = this.#at;
    if (!form.test(this.#text)) throw unusual;
    const raw = this.#text.slice(this.#at, form.lastIndex);
    this.#at = form.lastIndex;
    return raw;
  }

  #skipBlanks(): void {
    while (this.#text[this.#at] === " ") this.#at += 1;
  }
}

/** The accepted escapes mean the same in JSON and in YAML. */
function unquoted(raw: string): unknown {
  return raw.startsWith('"') && raw.includes("\\") ? JSON.parse(raw) : raw.slice(1, -1);
}

function scalar(raw: string): unknown {
  const word = WORDS.get(raw);
  if (word !== undefined) return word;
  if (NUMBER.test(raw)) return Number(raw);
  if (!NO_NUMBER.test(raw)) throw unusual;
  return raw;
}
