import type { FormFieldResult, Span, UnreadableReason } from "./form-field-result.js";

const MAX_DEPTH = 64;
const SPACE = /[ \t\n\r]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;
const SCALAR = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null/y;

class JsonError extends Error {
  readonly reason: UnreadableReason;

  constructor(reason: UnreadableReason) {
    super(reason);
    this.reason = reason;
  }
}

/** Start and end, and the commas around the member (-1: none). */
interface Member {
  value: Span;
  cut: Span;
}

/**
 * Finds the member of a whole JSON body (RFC 8259) to which `path` leads through objects. Parses strictly and
 * changes only the removed part, so that numbers of any size and the order of members stay. A duplicate name
 * of the path is rejected: readers differ in which one counts.
 */
export function memberOfJson(body: Buffer, path: readonly string[]): FormFieldResult {
  try {
    const reader = new JsonReader(body.toString("latin1"), path);
    const member = reader.read();
    if (member === undefined) return { kind: "none", cuts: [] };
    const text = body.toString("latin1", member.value.start, member.value.end);
    if (text !== "null" && !text.startsWith('"')) return { kind: "unreadable", reason: "not_a_text" };
    const token = (JSON.parse(text) as string | null) ?? "";
    const cuts = [member.cut];
    return token === "" ? { kind: "none", cuts } : { kind: "token", token, cuts };
  } catch (error) {
    if (error instanceof JsonError) return { kind: "unreadable", reason: error.reason };
    throw error;
  }
}

class JsonReader {
  readonly #text: string;
  readonly #path: readonly string[];
  #at = 0;
  #found: Member | undefined = undefined;

  constructor(text: string, path: readonly string[]) {
    this.#text = text;
    this.#path = path;
  }

  read(): Member | undefined {
    this.#value(0, 0);
    this.#skip(SPACE);
    if (this.#at !== this.#text.length) throw new JsonError("malformed_body");
    return this.#found;
  }

  /** @param matched names of the path that led here; -1: elsewhere */
  #value(depth: number, matched: number): Span {
    if (depth > MAX_DEPTH) throw new JsonError("malformed_body");
    this.#skip(SPACE);
    const start = this.#at;
    const first = this.#text[start];
    if (first === "{") this.#object(depth, matched);
    else if (first === "[") this.#array(depth);
    else if (first === '"') this.#string();
    else if (!this.#skip(SCALAR)) throw new JsonError("malformed_body");
    return { start, end: this.#at };
  }

  #object(depth: number, matched: number): void {
    this.#at++;
    if (this.#closes("}")) return;
    let comma = -1;
    let seen = false;
    for (;;) {
      this.#skip(SPACE);
      const start = this.#at;
      this.#string();
      const isNext = matched >= 0 && JSON.parse(this.#text.slice(start, this.#at)) === this.#path[matched];
      if (isNext && seen) throw new JsonError("field_repeated");
      seen ||= isNext;
      this.#expect(":");
      const value = this.#value(depth + 1, isNext && matched + 1 < this.#path.length ? matched + 1 : -1);
      const isMember = isNext && matched + 1 === this.#path.length;
      const end = this.#at;
      const more = !this.#closes("}");
      if (more) this.#expect(",");
      if (isMember) this.#found = { value, cut: cutOf(comma, start, end, more ? this.#at : -1) };
      if (!more) return;
      comma = this.#at - 1;
    }
  }

  /** A loop instead of a pattern: V8 keeps state for each character that a pattern may backtrack over. */
  #string(): void {
    if (this.#text[this.#at] !== '"') throw new JsonError("malformed_body");
    for (this.#at++; ; ) {
      const code = this.#text.charCodeAt(this.#at);
      if (code === 92) {
        if (!this.#skip(ESCAPE)) throw new JsonError("malformed_body");
        continue;
      }
      // NaN behind the end.
      if (!(code >= 32)) throw new JsonError("malformed_body");
      this.#at++;
      if (code === 34) return;
    }
  }

  #array(depth: number): void {
    this.#at++;
    if (this.#closes("]")) return;
    do this.#value(depth + 1, -1);
    while (!this.#closes("]") && this.#expect(","));
  }

  #closes(bracket: string): boolean {
    this.#skip(SPACE);
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  #expect(character: string): true {
    this.#skip(SPACE);
    if (this.#text[this.#at] !== character) throw new JsonError("malformed_body");
    this.#at++;
    return true;
  }

  #skip(pattern: RegExp): boolean {
    pattern.lastIndex = this.#at;
    if (!pattern.test(this.#text)) return false;
    this.#at = pattern.lastIndex;
    return true;
  }
}

/** Removes the comma behind a member, for the last one the comma before it. */
function cutOf(commaBefore: number, start: number, end: number, behindComma: number): Span {
  if (behindComma >= 0) return { start, end: behindComma };
  return { start: commaBefore < 0 ? start : commaBefore, end };
}
