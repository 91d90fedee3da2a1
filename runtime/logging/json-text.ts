/** Characters that JSON must escape, and bytes that may be invalid UTF-8. */
const SPECIAL = /["\\\0-\x1f\x80-\xff]/;
const NOT_ASCII = /[\x80-\xff]/;

/** Set if a text quoted since `startText` had bytes beyond ASCII: the record must then be checked. */
let notAscii = false;

export function startText(): void {
  notAscii = false;
}

export function hasBytesBeyondAscii(): boolean {
  return notAscii;
}

/** Quotes a byte string for JSON. Most need no escape, and a test for that is cheaper than JSON.stringify. */
export function quoted(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`;
  if (!notAscii) notAscii = NOT_ASCII.test(text);
  return JSON.stringify(text);
}

/** Escapes a byte string for JSON without the quotation marks. */
export function escaped(text: string): string {
  return SPECIAL.test(text) ? quoted(text).slice(1, -1) : text;
}

/** Caches the last `quoted` text: a comparison is cheaper than the search for characters to escape. */
export class LastQuoted {
  #value: string | undefined = undefined;
  #text = "";

  of(value: string): string {
    if (value === this.#value) return this.#text;
    const text = quoted(value);
    // A text that makes a check of the record necessary must set the flag each time.
    if (!SPECIAL.test(value)) {
      this.#value = value;
      this.#text = text;
    }
    return text;
  }
}

export function numeric(value: number): string {
  return Number.isFinite(value) ? `${value}` : "null";
}
