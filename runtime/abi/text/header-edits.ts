import { fieldText } from "./field.js";

/** What is done to one field: the call of `Headers` that does it, its name, and its value. */
export type HeaderEdit =
  | readonly ["set" | "append" | "prepend", string, string]
  | readonly ["delete", string];

/** A line that is written as it is; shared between messages. */
export interface AddedLine {
  readonly lower: string;
  readonly name: string;
  readonly value: string;
  /** The whole line with its CRLF. */
  readonly wire: string;
}

export const addedLine = (lower: string, name: string, value: string): AddedLine => ({
  lower,
  name,
  value,
  wire: `${name}: ${value}\r\n`,
});

/** Fields that only the wire writes: what a configuration says of them is not sent. */
export const FRAMING: ReadonlySet<string> = new Set([
  "host",
  "content-length",
  "transfer-encoding",
  "connection",
  "keep-alive",
  "proxy-connection",
  "te",
  "upgrade",
]);

const NOT_ALPHANUMERIC = /[^a-z0-9]/g;

/**
 * The name that CGI, WSGI and their like make of a field: one for all spellings. They upper its case and write "_" for "-", and some
 * for anything that is neither letter nor digit; here it is lower case and "-".
 */
export const foldedName = (name: string): string => name.toLowerCase().replace(NOT_ALPHANUMERIC, "-");

/** One edit, ready: `line` is undefined where the field is deleted. */
export interface PreparedEdit {
  readonly action: HeaderEdit[0];
  readonly lower: string;
  readonly folded: string;
  readonly line: AddedLine | undefined;
  /** Its bit among those of the group. */
  readonly bit: number;
}

/** Most edits that one scan does: each has a bit of a number. */
const MOST = 30;

/** Edits of one message's headers whose names and values do not depend on the message, in order. */
export class HeaderEdits {
  readonly all: readonly PreparedEdit[];
  /** The lines, where nothing but lines is appended. */
  readonly appended: readonly AddedLine[] | undefined;
  /** By length of the name; undefined where two edits mean one field, so that they have to be done one after the other. */
  readonly byLength: readonly (readonly PreparedEdit[] | undefined)[] | undefined;

  constructor(edits: readonly HeaderEdit[]) {
    this.all = edits.flatMap(prepared).map((edit, i) => ({ ...edit, bit: 1 << i }));
    if (this.all.length > 0 && this.all.every(({ action }) => action === "append"))
      this.appended = this.all.flatMap(({ line }) => line ?? []);
    const names = new Set(this.all.map(({ folded }) => folded));
    if (names.size < this.all.length || names.size > MOST) return;
    this.byLength = byLength(this.all, ({ lower }) => lower);
  }
}

/** Things to look for by a name: most fields have a length that none of the names has. */
export function byLength<T>(things: readonly T[], nameOf: (thing: T) => string): (T[] | undefined)[] {
  const longest = Math.max(...things.map((thing) => nameOf(thing).length), 0);
  // Without holes: a hole is looked for in the prototype, too.
  const table = Array.from({ length: longest + 1 }, (): T[] | undefined => undefined);
  for (const thing of things) (table[nameOf(thing).length] ??= []).push(thing);
  return table;
}

/** Nothing for an edit without effect. */
function prepared([action, name, value = ""]: HeaderEdit): Omit<PreparedEdit, "bit">[] {
  const lower = name.toLowerCase();
  const folded = foldedName(name);
  const clean = fieldText(value);
  if (action === "delete" || (action === "set" && clean === ""))
    return [{ action: "delete", lower, folded, line: undefined }];
  if (clean === "" || FRAMING.has(lower)) return [];
  return [{ action, lower, folded, line: addedLine(lower, name, clean) }];
}

/** Prepares edits of headers; `Headers.edit` does them. */
export function headerEdits(...edits: HeaderEdit[]): HeaderEdits {
  return new HeaderEdits(edits);
}
