import { fieldText, isApart } from "./field.js";
/** Method of `Headers`, name of the header, and value. */
export type HeaderEdit =
  | readonly ["set" | "append" | "prepend", string, string]
  | readonly ["delete", string];

/** Line that is written unchanged; shared between messages. */
export interface AddedLine {
  readonly lower: string;
  readonly name: string;
  readonly value: string;
  /** Complete line with its CRLF. */
  readonly wire: string;
}

export const addedLine = (lower: string, name: string, value: string): AddedLine => ({
  lower,
  name,
  value,
  wire: `${name}: ${value}\r\n`,
});

/** Headers that only the connection writes: the gateway does not send their configured values. */
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
 * Name that CGI, WSGI and the like make of a header: one for all spellings. They write it in upper case with
 * "_" for "-", some for anything but letters and digits; here it is lower case and "-".
 */
export const foldedName = (name: string): string => name.toLowerCase().replace(NOT_ALPHANUMERIC, "-");

/** `line` is undefined if the edit deletes the header. */
export interface PreparedEdit {
  readonly action: HeaderEdit[0];
  readonly lower: string;
  readonly folded: string;
  readonly line: AddedLine | undefined;
  /** Bit of this edit in its group. */
  readonly bit: number;
}

/** Maximum edits in one scan: each has a bit of a number. */
const MAX_EDITS = 30;

/** Edits in order, with names and values that do not depend on the message. */
export class HeaderEdits {
  readonly all: readonly PreparedEdit[];
  readonly appended: readonly AddedLine[] | undefined;
  /** By length of the name; undefined if two edits have one header, or one
   * prepends to a header whose lines are never joined: they then run one by one. */
  readonly byLength: readonly (readonly PreparedEdit[] | undefined)[] | undefined;

  constructor(edits: readonly HeaderEdit[]) {
    // Loops: a start makes two of these for each route.
    const all: PreparedEdit[] = [];
    const names = new Set<string>();
    let appends = true;
    for (const edit of edits) {
      const ready = prepared(edit, 1 << all.length);
      if (ready === undefined) continue;
      all.push(ready);
      names.add(ready.folded);
      appends &&= ready.action === "append";
    }
    this.all = all;
    if (all.length > 0 && appends) this.appended = all.flatMap(({ line }) => line ?? []);
    if (names.size < all.length || names.size > MAX_EDITS) return;
    if (all.some(({ action, lower }) => action === "prepend" && isApart(lower))) return;
    this.byLength = byLength(this.all, ({ lower }) => lower);
  }
}

/** Index by length: most headers have a length that none of the names has. */
export function byLength<T>(things: readonly T[], nameOf: (thing: T) => string): (T[] | undefined)[] {
  let longest = 0;
  for (const thing of things) longest = Math.max(longest, nameOf(thing).length);
  // Without holes: a lookup of a hole goes to the prototype, too.
  const table = new Array<T[] | undefined>(longest + 1).fill(undefined);
  for (const thing of things) (table[nameOf(thing).length] ??= []).push(thing);
  return table;
}

/** @returns undefined for an edit without effect */
function prepared([action, name, value = ""]: HeaderEdit, bit: number): PreparedEdit | undefined {
  const { lower, folded } = spellingsOf(name);
  const clean = fieldText(value);
  if (action === "delete" || (action === "set" && clean === ""))
    return { action: "delete", lower, folded, line: undefined, bit };
  if (clean === "" || FRAMING.has(lower)) return undefined;
  return { action, lower, folded, line: addedLine(lower, name, clean), bit };
}

type Spellings = Pick<PreparedEdit, "lower" | "folded">;

/** Limit of cached names, which come from configurations. */
const MAX_NAMES = 1_000;
const spellings = new Map<string, Spellings>();

/** Cached: 20,000 routes name six headers 80,000 times. */
function spellingsOf(name: string): Spellings {
  const known = spellings.get(name);
  if (known !== undefined) return known;
  const made = { lower: name.toLowerCase(), folded: foldedName(name) };
  if (spellings.size < MAX_NAMES) spellings.set(name, made);
  return made;
}

export function headerEdits(...edits: HeaderEdit[]): HeaderEdits {
  return new HeaderEdits(edits);
}
