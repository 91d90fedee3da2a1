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

/** A number as JSON has it. */
export function numeric(value: number): string {
  return Number.isFinite(value) ? `${value}` : "null";
}
