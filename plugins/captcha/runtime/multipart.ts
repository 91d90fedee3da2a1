import { type FormFieldResult, MAX_TOKEN, type Span } from "./form-field-result.js";

/** Maximum for one part; browsers send about 100 bytes. */
const MAX_HEADERS = 8_192;
/** Blanks between a boundary and the end of its line (RFC 2046 section 5.1.1); no client sends any. */
const MAX_PADDING = 64;

const TOO_LONG: FormFieldResult = { kind: "unreadable", reason: "not_a_text" };

/** Start of the line, and of what follows. `last`: the closing delimiter. */
interface Delimiter {
  start: number;
  next: number;
  last: boolean;
}

/**
 * Searches a growing multipart/form-data body (RFC 7578) for a text field; earlier bytes stay at their
 * places. Reads each byte once, so the cost grows with the body and not with the number of its pieces. Stops
 * at the end of the first part of that name that is neither a file nor empty. The field of an unsolved widget
 * is empty.
 */
export class MultipartScanner {
  readonly #field: string;
  /** "\r\n--boundary": a delimiter begins with the line end before it. */
  readonly #mark: Buffer;
  #found: FormFieldResult | undefined = undefined;
  /** Undefined before the first part. */
  #part: Delimiter | undefined = undefined;
  /** Undefined while the part's header is incomplete. */
  #content: number | undefined = undefined;
  #isField = false;
  /** Parts of that name so far. */
  readonly #cuts: Span[] = [];
  #position = 0;

  constructor(boundary: string, field: string) {
    this.#mark = Buffer.from(`\r\n--${boundary}`, "latin1");
    this.#field = field;
  }

  /** @param bytes all received bytes @returns undefined if more are needed; never after the end of the body */
  look(bytes: Buffer, ended: boolean): FormFieldResult | undefined {
    while (this.#found === undefined && this.#step(bytes)) {
      // Each step consumes one delimiter or one header.
    }
    if (this.#found === undefined && ended) this.#found = this.#none();
    return this.#found;
  }

  /** Result if the body may not be read further; undefined if there was no part of that name. */
  cutShort(): FormFieldResult | undefined {
    return this.#found ?? (this.#cuts.length === 0 ? undefined : this.#none());
  }

  #none(): FormFieldResult {
    return { kind: "none", cuts: this.#cuts };
  }

  /** @returns false if more bytes are needed */
  #step(bytes: Buffer): boolean {
    if (this.#part !== undefined && this.#content === undefined) return this.#readHeader(bytes, this.#part);
    const delimiter = this.#delimiter(bytes);
    if (delimiter === undefined) {
      const mayEnd = MAX_TOKEN + this.#mark.length + MAX_PADDING + 4;
      if (this.#isField && bytes.length - (this.#content ?? 0) > mayEnd) this.#found = TOO_LONG;
      return false;
    }
    if (this.#isField && this.#part !== undefined)
      this.#found = this.#fieldFound(bytes, this.#part, delimiter);
    if (delimiter.last) this.#found ??= this.#none();
    this.#part = delimiter;
    this.#content = undefined;
    this.#position = delimiter.next;
    return true;
  }

  /** @returns undefined for an empty field */
  #fieldFound(bytes: Buffer, part: Delimiter, { start }: Delimiter): FormFieldResult | undefined {
    const token = bytes.toString("latin1", this.#content, start - 2);
    if (token.length > MAX_TOKEN) return TOO_LONG;
    this.#cuts.push({ start: part.start, end: start });
    return token === "" ? undefined : { kind: "token", token, cuts: this.#cuts };
  }

  /** Next delimiter behind `#position`; undefined if it is incomplete. */
  #delimiter(bytes: Buffer): Delimiter | undefined {
    const mark = this.#mark;
    for (;;) {
      // The first delimiter may begin the body, without a line end before it.
      const atBegin = this.#part === undefined && this.#position === 0;
      const begins = atBegin && bytes.subarray(0, mark.length - 2).equals(mark.subarray(2));
      if (atBegin && !begins && bytes.length < mark.length - 2) return undefined;
      const found = begins ? -2 : bytes.indexOf(mark, this.#position);
      if (found === -1) {
        this.#position = Math.max(this.#position, bytes.length - mark.length + 1);
        return undefined;
      }
      const ending = lineEnd(bytes, found + mark.length);
      if (ending === undefined) {
        if (!begins) this.#position = found;
        return undefined;
      }
      if (ending !== "content") return { start: found + 2, ...ending };
      this.#position = found + mark.length;
    }
  }

  #readHeader(bytes: Buffer, part: Delimiter): boolean {
    // A part without a header begins with the empty line.
    const from = part.next - 2;
    const end = bytes.indexOf("\r\n\r\n", Math.max(from, this.#position - 3), "latin1");
    const length = (end < 0 ? bytes.length - 4 : end) - from;
    if (length > MAX_HEADERS) this.#found = { kind: "unreadable", reason: "malformed_body" };
    if (end < 0) {
      this.#position = bytes.length;
      return false;
    }
    this.#isField =
      nameOfField(bytes.toString("latin1", part.next, Math.max(end, part.next))) === this.#field;
    this.#content = end + 4;
    // The line end of an empty header may be that of the delimiter behind an empty content.
    this.#position = end + 2;
    return true;
  }
}

/** @returns "content" if it is no delimiter; undefined if more bytes are needed */
function lineEnd(bytes: Buffer, from: number): Pick<Delimiter, "next" | "last"> | "content" | undefined {
  const [first, second] = [bytes[from], bytes[from + 1]];
  if (first === 45) {
    if (second === undefined) return undefined;
    return second === 45 ? { next: from + 2, last: true } : "content";
  }
  let at = from;
  while (bytes[at] === 32 || bytes[at] === 9) if (++at - from > MAX_PADDING) return "content";
  if (bytes[at] === undefined) return undefined;
  if (bytes[at] !== 13) return "content";
  if (bytes[at + 1] === undefined) return undefined;
  return bytes[at + 1] === 10 ? { next: at + 2, last: false } : "content";
}

/** @returns undefined for a file and for anything else that is no form field */
function nameOfField(header: string): string | undefined {
  const value = /^content-disposition:(.*)$/im.exec(header.replace(/\r\n[ \t]+/g, " "))?.[1];
  if (value === undefined || !/^[ \t]*form-data[ \t]*(?:;|$)/i.test(value)) return undefined;
  let name: string | undefined;
  for (const [, key = "", quoted, plain] of value.matchAll(PARAMETER)) {
    if (/^filename\*?$/i.test(key)) return undefined;
    if (key.toLowerCase() === "name") name ??= quoted?.replace(/\\(.)/g, "$1") ?? plain;
  }
  return name;
}

/** `; key="…"` or `; key=token` (RFC 9110 section 5.6.6). */
const PARAMETER = /;[ \t]*([!#$%&'*+\-.^_`|~0-9A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^; \t\r\n"]*))/g;
