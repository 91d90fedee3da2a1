import type { MarkedKey, NodeSpan, Parsed } from "./marks.js";
import type { SourceDiagnostics } from "./source-diagnostics.js";
import { MAX_DEPTH, put, scalarFault } from "./values.js";

const BLANK = /[ \t\n\r]*/y;
const COMMENT = /\/\/[^\n]*|\/\*(?:[^*]|\*(?!\/))*(?:\*\/)?|#[^\n]*/y;
const STRING = /"(?:[^"\\\n\r\t]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const NUMBER = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y;
const WORD = /[^\s,:[\]{}"]+/y;

/** Thrown after an unrecoverable fault; never leaves this file. */
class UnreadableJsonError extends Error {}

/**
 * Parses RFC 8259, with spans and duplicate keys. Comments and commas before a closing bracket are reported
 * and skipped; any other fault ends the parse.
 */
export function parseJson(text: string, findings: SourceDiagnostics): Parsed | undefined {
  const reader = new JsonReader(text, findings);
  try {
    return reader.document();
  } catch (fault) {
    if (fault instanceof UnreadableJsonError) return undefined;
    throw fault;
  }
}

class JsonReader {
  readonly #text: string;
  readonly #findings: SourceDiagnostics;
  #at: number;
  #depth = 0;

  constructor(text: string, findings: SourceDiagnostics) {
    this.#text = text;
    this.#findings = findings;
    this.#at = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  }

  document(): Parsed {
    this.#skip();
    if (this.#at >= this.#text.length) this.#fail("the text is empty");
    const parsed = this.#value();
    this.#skip();
    if (this.#at < this.#text.length) this.#fail("unexpected text after the value");
    return parsed;
  }

  #value(): Parsed {
    switch (this.#text[this.#at]) {
      case "{":
        return this.#nested(() => this.#object());
      case "[":
        return this.#nested(() => this.#array());
      case '"': {
        const start = this.#at;
        const value = this.#string();
        return { value, mark: { start, end: this.#at } };
      }
      default:
        return this.#scalar();
    }
  }

  #nested(read: () => Parsed): Parsed {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH) {
      this.#findings.add("GW1009", this.#at, this.#at + 1, { limit: MAX_DEPTH });
      throw new UnreadableJsonError();
    }
    const parsed = read();
    this.#depth -= 1;
    return parsed;
  }

  #object(): Parsed {
    const value: Record<string, unknown> = {};
    const keys = new Map<string, MarkedKey>();
    const mark: NodeSpan = { start: this.#at, end: 0, keys };
    this.#members("}", () => {
      const start = this.#at;
      if (this.#text[start] !== '"') this.#fail("expected a key in double quotes");
      const key = this.#string();
      const end = this.#at;
      this.#skip();
      if (this.#text[this.#at] !== ":") this.#fail('":" is expected after a key');
      this.#at += 1;
      this.#skip();
      const member = this.#value();
      const first = keys.get(key);
      if (first !== undefined) {
        const notes = this.#findings.enough("GW1003")
          ? []
          : [this.#findings.note(`"${key}" is first set here`, first.start, first.end)];
        this.#findings.add("GW1003", start, end, { key }, { notes });
        return;
      }
      keys.set(key, { start, end, value: member.mark });
      put(value, key, member.value);
    });
    mark.end = this.#at;
    return { value, mark };
  }

  #array(): Parsed {
    const value: unknown[] = [];
    const items: NodeSpan[] = [];
    const mark: NodeSpan = { start: this.#at, end: 0, items };
    this.#members("]", () => {
      const item = this.#value();
      value.push(item.value);
      items.push(item.mark);
    });
    mark.end = this.#at;
    return { value, mark };
  }

  #members(close: "}" | "]", member: () => void): void {
    this.#at += 1;
    this.#skip();
    while (this.#text[this.#at] !== close) {
      member();
      this.#skip();
      if (this.#text[this.#at] !== ",") {
        if (this.#text[this.#at] !== close) this.#fail(`expected "," or "${close}"`);
        break;
      }
      const comma = this.#at;
      this.#at += 1;
      this.#skip();
      if (this.#text[this.#at] === close) this.#findings.add("GW1015", comma, comma + 1, { close });
    }
    this.#at += 1;
  }

  #string(): string {
    const start = this.#at;
    STRING.lastIndex = start;
    if (!STRING.test(this.#text)) this.#badString(start);
    this.#at = STRING.lastIndex;
    const raw = this.#text.slice(start, this.#at);
    if (!raw.includes("\\")) return raw.slice(1, -1);
    const value: string = JSON.parse(raw);
    const fault = scalarFault(value, raw);
    if (fault !== undefined) this.#findings.add(fault, start, this.#at, { value: raw });
    return value;
  }

  #badString(start: number): never {
    const good = /"(?:[^"\\\n\r\t]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
    good.lastIndex = start;
    good.test(this.#text);
    this.#at = good.lastIndex;
    const next = this.#text[this.#at];
    if (next === "\\") this.#fail('only \\" \\\\ \\/ \\b \\f \\n \\r \\t and \\uXXXX are escapes', 2);
    if (next === "\t") this.#fail("a tab in text must be written as \\t");
    this.#at = start;
    return this.#fail("the closing quote is missing on this line");
  }

  #scalar(): Parsed {
    const start = this.#at;
    WORD.lastIndex = start;
    const word = WORD.exec(this.#text)?.[0] ?? "";
    this.#at += word.length;
    const mark = { start, end: this.#at };
    if (word === "true" || word === "false") return { value: word === "true", mark };
    if (word === "null") return { value: null, mark };
    NUMBER.lastIndex = start;
    if (NUMBER.test(this.#text) && NUMBER.lastIndex === this.#at) {
      const value = Number(word);
      const fault = scalarFault(value, word);
      if (fault !== undefined) this.#findings.add(fault, start, this.#at, { value: word });
      return { value, mark };
    }
    this.#at = start;
    if (word === "")
      return this.#fail(this.#at < this.#text.length ? "expected a value" : "unexpected end of the text");
    return this.#fail(
      word.startsWith("'") ? "text must be in double quotes" : `"${shorten(word)}" is not a value`,
      word.length,
    );
  }

  #skip(): void {
    for (;;) {
      BLANK.lastIndex = this.#at;
      BLANK.test(this.#text);
      this.#at = BLANK.lastIndex;
      COMMENT.lastIndex = this.#at;
      if (!COMMENT.test(this.#text)) return;
      const end = COMMENT.lastIndex;
      // Searching for the end of the line at each of a million comments would take minutes.
      const line = this.#findings.enough("GW1014") ? -1 : this.#text.indexOf("\n", this.#at);
      this.#findings.add("GW1014", this.#at, line === -1 ? end : Math.min(line, end));
      this.#at = end;
    }
  }

  #fail(reason: string, length = 1): never {
    this.#findings.add("GW1002", this.#at, Math.min(this.#at + length, this.#text.length), { reason });
    throw new UnreadableJsonError();
  }
}

function shorten(word: string): string {
  return word.length > 30 ? `${word.slice(0, 30)}…` : word;
}
