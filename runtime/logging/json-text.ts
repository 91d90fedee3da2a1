/** What JSON cannot hold as it is, and bytes that may be no UTF-8. */
const SPECIAL = /["\\\0-\x1f\x80-\xff]/;
const NOT_ASCII = /[\x80-\xff]/;

/** Whether a text that went through `quoted` since `startText` had bytes beyond ASCII: then the record must be checked. */
let notAscii = false;

/** Begins a record: `hasBytesBeyondAscii` speaks of what is quoted from here on. */
export function startText(): void {
  notAscii = false;
}

export function hasBytesBeyondAscii(): boolean {
  return notAscii;
}

/** A byte string as a JSON string. Most need no escape, and a test for that is cheaper than JSON.stringify. */
export function quoted(text: string): string {
  if (!SPECIAL.test(text)) return `"${text}"`;
  if (!notAscii) notAscii = NOT_ASCII.test(text);
  return JSON.stringify(text);
}

/** The same without the quotation marks. */
export function escaped(text: string): string {
  return SPECIAL.test(text) ? quoted(text).slice(1, -1) : text;
}

/** `quoted` of a text that is mostly the one before: a comparison is cheaper than the search for what needs an escape. */
export class LastQuoted {
  #value: string | undefined = undefined;
  #text = "";

  of(value: string): string {
    if (value === this.#value) return this.#text;
    const text = quoted(value);
    // A text that needs the record checked must say so each time.
    if (!SPECIAL.test(value)) {
      this.#value = value;
      this.#text = text;
    }
    return text;
  }
}

/** A number as JSON has it. */
export function numeric(value: number): string {
  return Number.isFinite(value) ? `${value}` : "null";
}
