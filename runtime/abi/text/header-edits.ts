import { fieldText } from "./field.js";
import { isApart } from "./field-lines.js";

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
  /**
   * By length of the name; undefined where two edits mean one field, or one puts a line before others, so that they have to be done
   * one after the other.
   */
  readonly byLength: readonly (readonly PreparedEdit[] | undefined)[] | undefined;

  constructor(edits: readonly HeaderEdit[]) {
    // By loops: a start makes two of these for each route.
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
    if (names.size < all.length || names.size > MOST) return;
    if (all.some(({ action, lower }) => action === "prepend" && isApart(lower))) return;
    this.byLength = byLength(this.all, ({ lower }) => lower);
  }
}

/** Things to look for by a name: most fields have a length that none of the names has. */
export function byLength<T>(things: readonly T[], nameOf: (thing: T) => string): (T[] | undefined)[] {
  let longest = 0;
  for (const thing of things) longest = Math.max(longest, nameOf(thing).length);
  // Without holes: a hole is looked for in the prototype, too.
  const table = new Array<T[] | undefined>(longest + 1).fill(undefined);
  for (const thing of things) (table[nameOf(thing).length] ??= []).push(thing);
  return table;
}

/** Nothing for an edit without effect. */
function prepared([action, name, value = ""]: HeaderEdit, bit: number): PreparedEdit | undefined {
  const { lower, folded } = spellingsOf(name);
  const clean = fieldText(value);
  if (action === "delete" || (action === "set" && clean === ""))
    return { action: "delete", lower, folded, line: undefined, bit };
  if (clean === "" || FRAMING.has(lower)) return undefined;
  return { action, lower, folded, line: addedLine(lower, name, clean), bit };
}

interface Spellings {
  lower: string;
  folded: string;
}

/** Names come from configurations and are few; beyond this they are spelled anew each time. */
const MAX_NAMES = 1_000;
const spellings = new Map<string, Spellings>();

/** The same strings for the same name: 20,000 routes name six fields 80,000 times. */
function spellingsOf(name: string): Spellings {
  const known = spellings.get(name);
  if (known !== undefined) return known;
  const made = { lower: name.toLowerCase(), folded: foldedName(name) };
  if (spellings.size < MAX_NAMES) spellings.set(name, made);
  return made;
}

/** Prepares edits of headers; `Headers.edit` does them. */
export function headerEdits(...edits: HeaderEdit[]): HeaderEdits {
  return new HeaderEdits(edits);
}
