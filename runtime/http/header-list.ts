import type { Headers } from "../abi/exchange.js";
import { fieldText, fieldValue, prependedLine, prependedLines, separatorOf } from "../abi/text/field.js";
import {
  type AddedLine,
  addedLine,
  FRAMING,
  foldedName,
  type HeaderEdits,
  type PreparedEdit,
} from "../abi/text/header-edits.js";
import { equalsFolded, equalsIgnoreCase, type FieldNames } from "./field-names.js";

/** Numbers per received line: start, colon, and end behind its CRLF. */
export const LINE_STRIDE = 3;

const NOTHING: readonly AddedLine[] = [];

/** Index of a received line with its edit, or -1 and an added line. Linked, since an array of one has room for 16. */
interface Aside {
  lower: string;
  readonly index: number;
  readonly line: AddedLine | undefined;
  readonly before: Aside | undefined;
}

/** Name of a forgotten line; no header has it. */
const FORGOTTEN = "";

/** Excludes a header from restoring, except Content-Encoding: nobody could read a body that leaves as received. */
function forgetAside(last: Aside | undefined, lower: string): void {
  if (lower === "content-encoding") return;
  for (let aside = last; aside !== undefined; aside = aside.before)
    if (aside.lower === lower) aside.lower = FORGOTTEN;
}

/**
 * Headers of one message: offsets into the received head plus a small list of edits. Untouched adjacent lines
 * leave as one substring of the received text; strings are made only on demand.
 */
export class HeaderList implements Headers {
  readonly #text: string;
  readonly #lines: number[];
  /** Per received line: undefined untouched, null removed, else its replacement. From the first edit on. */
  #edits: (AddedLine | null | undefined)[] | undefined;
  #added: AddedLine[] | undefined;
  /** True if an edit is more than a removal. */
  #replaced = false;
  #aside: Aside | undefined;
  /** Host, which `get` returns but `toWire` omits. */
  readonly #host: string | undefined;
  /** If true, setting or deleting a header also removes received aliases (equal `foldedName`). */
  foldsNames = false;

  /** @param lines LINE_STRIDE numbers a line; the parser has omitted framing headers */
  constructor(text: string, lines: number[], host?: string) {
    this.#text = text;
    this.#lines = lines;
    this.#host = host;
  }

  get(name: string): string | undefined {
    const lower = name.toLowerCase();
    if (lower === "host" && this.#host !== undefined) return this.#host;
    let found: string | undefined;
    this.#each(lower, (value) => {
      found = found === undefined ? value : found + separatorOf(lower) + value;
    });
    return found;
  }

  getReceived(name: string): string | undefined {
    const values = this.getAllReceived(name);
    return values.length === 0 ? undefined : values.join(separatorOf(name.toLowerCase()));
  }

  getAllReceived(name: string): string[] {
    const lower = name.toLowerCase();
    const lines = this.#lines;
    const found: string[] = [];
    for (let at = 0; at < lines.length; at += LINE_STRIDE) {
      const colon = lines[at + 1] as number;
      if (equalsIgnoreCase(this.#text, lines[at] as number, colon, lower))
        found.push(fieldValue(this.#text, colon, lines[at + 2] as number));
    }
    return found;
  }

  getAll(name: string): string[] {
    const found: string[] = [];
    this.#each(name.toLowerCase(), (value) => found.push(value));
    return found;
  }

  has(name: string): boolean {
    const lower = name.toLowerCase();
    return this.#find(lower, 0) >= 0 || this.#findAdded(lower) >= 0;
  }

  wroteAny(names: ReadonlySet<string>): boolean {
    for (const line of this.#added ?? NOTHING) if (names.has(line.lower)) return true;
    for (const edit of this.#edits ?? NOTHING) if (edit && names.has(edit.lower)) return true;
    return false;
  }

  /** Reports whether the header was written by the configuration rather than received. */
  wasWritten(lower: string): boolean {
    if (this.#findAdded(lower) >= 0) return true;
    return this.#edits?.some((edit) => edit?.lower === lower) ?? false;
  }

  set(name: string, value: string | readonly string[]): void {
    if (typeof value !== "string") {
      this.set(name, value[0] ?? "");
      this.append(name, value.slice(1));
      return;
    }
    const clean = fieldText(value);
    if (clean === "") {
      this.delete(name);
      return;
    }
    const lower = name.toLowerCase();
    if (FRAMING.has(lower)) return;
    forgetAside(this.#aside, lower);
    if (this.foldsNames) this.#deleteAliases(lower);
    const line = addedLine(lower, name, clean);
    const first = this.#find(lower, 0);
    if (first >= 0) {
      this.#deleteFrom(lower, first + 1);
      this.#edit(first, line);
      return;
    }
    const added = this.#findAdded(lower);
    if (added < 0 || this.#added === undefined) this.#push(line);
    else
      this.#added = this.#added
        .filter((other, i) => other.lower !== lower || i === added)
        .map((o) => (o.lower === lower ? line : o));
  }

  append(name: string, value: string | readonly string[]): void {
    if (typeof value !== "string") {
      for (const line of value) this.append(name, line);
      return;
    }
    const clean = fieldText(value);
    const lower = name.toLowerCase();
    if (clean === "" || FRAMING.has(lower)) return;
    if (this.foldsNames) this.#deleteAliases(lower);
    this.#push(addedLine(lower, name, clean));
  }

  /** `append` of a line that is known to be valid; messages may share the object. */
  appendLine(line: AddedLine): void {
    this.#push(line);
  }

  prepend(name: string, value: string | readonly string[]): void {
    if (typeof value !== "string") for (const line of value.toReversed()) this.prepend(name, line);
    else if (fieldText(value) !== "")
      this.set(name, prependedLines(name.toLowerCase(), fieldText(value), this.getAll(name)));
  }

  edit({ all, appended, byLength }: HeaderEdits): void {
    if (appended !== undefined && !this.foldsNames) {
      // A copy has the exact length; a list that grows from one line has room for 17.
      if (this.#added === undefined) this.#added = appended.slice();
      else for (let i = 0; i < appended.length; i++) this.#added.push(appended[i] as AddedLine);
      return;
    }
    if (byLength === undefined || this.#replaced || this.#hasAdded(all)) {
      for (const edit of all) this.#editOne(edit);
      return;
    }
    const met = this.#scan(byLength);
    for (let i = 0; i < all.length; i++) {
      const { action, lower, line, bit } = all[i] as PreparedEdit;
      if (this.#aside !== undefined && action !== "append") forgetAside(this.#aside, lower);
      if (line !== undefined && (action === "append" || (met & bit) === 0)) this.#push(line);
    }
  }

  /** Applies edits to received lines in one pass; returns the bits of the edits whose names it found. */
  #scan(byLength: NonNullable<HeaderEdits["byLength"]>): number {
    const lines = this.#lines;
    const text = this.#text;
    let met = 0;
    for (let at = 0, i = 0; at < lines.length; at += LINE_STRIDE, i++) {
      const start = lines[at] as number;
      const colon = lines[at + 1] as number;
      const edits = colon - start < byLength.length ? byLength[colon - start] : undefined;
      if (edits === undefined || (this.#edits !== undefined && this.#edits[i] === null)) continue;
      for (let n = 0; n < edits.length; n++) {
        const edit = edits[n] as PreparedEdit;
        if (!equalsFolded(text, start, colon, edit.folded)) continue;
        if (equalsIgnoreCase(text, start, colon, edit.lower)) {
          this.#editMet(edit, i, (met & edit.bit) !== 0);
          met |= edit.bit;
        } else if (this.foldsNames) this.#edit(i, null);
        break;
      }
    }
    return met;
  }

  /** @param again true if an earlier line has the same name */
  #editMet({ action, lower, line }: PreparedEdit, index: number, again: boolean): void {
    if (action === "append") return;
    if (action !== "prepend" || line === undefined) {
      this.#edit(index, again ? null : (line ?? null));
      return;
    }
    const at = index * LINE_STRIDE;
    const value = fieldValue(this.#text, this.#lines[at + 1] as number, this.#lines[at + 2] as number);
    const first = again ? this.#find(lower, 0) : index;
    const before = again ? (this.#edits?.[first]?.value ?? "") : line.value;
    if (again) this.#edit(index, null);
    if (value !== "" || !again)
      this.#edit(first, addedLine(lower, line.name, prependedLine(lower, before, value)));
  }

  #hasAdded(edits: readonly PreparedEdit[]): boolean {
    const added = this.#added;
    if (added === undefined) return false;
    for (let i = 0; i < added.length; i++)
      for (let n = 0; n < edits.length; n++)
        if ((added[i] as AddedLine).lower === (edits[n] as PreparedEdit).lower) return true;
    return false;
  }

  #push(line: AddedLine): void {
    if (this.#added === undefined) this.#added = [line];
    else this.#added.push(line);
  }

  #editOne({ action, lower, line }: PreparedEdit): void {
    if (line === undefined || action === "delete") this.delete(lower);
    else this[action](line.name, line.value);
  }

  delete(name: string): void {
    const lower = name.toLowerCase();
    forgetAside(this.#aside, lower);
    if (this.foldsNames) this.#deleteAliases(lower);
    this.#deleteFrom(lower, 0);
  }

  /** Sets headers aside for `restore`, except those that the configuration sets or deletes meanwhile. */
  setAside(names: FieldNames): void {
    const lines = this.#lines;
    for (let i = 0, n = lines.length / LINE_STRIDE; i < n; i++) {
      const edit = this.#edits === undefined ? undefined : this.#edits[i];
      if (edit === null) continue;
      const start = lines[i * LINE_STRIDE] as number;
      const lower =
        edit === undefined
          ? names.find(this.#text, start, lines[i * LINE_STRIDE + 1] as number)
          : names.find(edit.lower, 0, edit.lower.length);
      if (lower === undefined) continue;
      this.#aside = { lower, index: i, line: edit, before: this.#aside };
      this.#edit(i, null);
    }
    for (const line of this.#added ?? NOTHING) {
      if (names.find(line.lower, 0, line.lower.length) === undefined) continue;
      this.#aside = { lower: line.lower, index: -1, line, before: this.#aside };
      this.#added = this.#added?.filter((other) => other !== line);
    }
  }

  restore(): void {
    const added: AddedLine[] = [];
    for (let aside = this.#aside; aside !== undefined; aside = aside.before) {
      if (aside.lower === FORGOTTEN) continue;
      if (aside.index < 0) added.unshift(aside.line as AddedLine);
      else if (this.#edits !== undefined) this.#edits[aside.index] = aside.line;
    }
    if (added.length > 0) this.#added = [...(this.#added ?? NOTHING), ...added];
    this.#aside = undefined;
  }

  /** Removes received lines as if they had never arrived. */
  forget(dropped: (lower: string) => boolean): void {
    const lines = this.#lines;
    for (let at = lines.length - LINE_STRIDE; at >= 0; at -= LINE_STRIDE)
      if (dropped(this.#text.slice(lines[at], lines[at + 1]).toLowerCase())) lines.splice(at, LINE_STRIDE);
  }

  names(): string[] {
    const found: string[] = [];
    this.forEach((name) => {
      found.push(name);
    });
    return found;
  }

  forEach(use: (name: string, value: string) => void): void {
    const lines = this.#lines;
    for (let at = 0, i = 0; at < lines.length; at += LINE_STRIDE, i++) {
      const edit = this.#edits === undefined ? undefined : this.#edits[i];
      if (edit === undefined) {
        const colon = lines[at + 1] as number;
        use(this.#text.slice(lines[at], colon), fieldValue(this.#text, colon, lines[at + 2] as number));
      } else if (edit !== null) use(edit.name, edit.value);
    }
    if (this.#added !== undefined) for (const line of this.#added) use(line.name, line.value);
  }

  /** Serializes the lines, each ended by CRLF. */
  toWire(): string {
    const text = this.#text;
    const lines = this.#lines;
    const edits = this.#edits;
    let out = "";
    let runStart = -1;
    let runEnd = -1;
    for (let at = 0, i = 0; at < lines.length; at += LINE_STRIDE, i++) {
      const edit = edits === undefined ? undefined : edits[i];
      if (edit === undefined) {
        const start = lines[at] as number;
        if (start !== runEnd) {
          if (runStart >= 0) out += text.slice(runStart, runEnd);
          runStart = start;
        }
        runEnd = lines[at + 2] as number;
        continue;
      }
      if (runStart >= 0) out += text.slice(runStart, runEnd);
      runStart = -1;
      runEnd = -1;
      if (edit !== null) out += edit.wire;
    }
    if (runStart >= 0) out += text.slice(runStart, runEnd);
    for (const line of this.#added ?? NOTHING) out += line.wire;
    return out;
  }

  copy(): HeaderList {
    const copy = new HeaderList(this.#text, this.#lines, this.#host);
    copy.#edits = this.#edits?.slice();
    copy.#replaced = this.#replaced;
    copy.#added = this.#added?.slice();
    copy.foldsNames = this.foldsNames;
    return copy;
  }

  #each(lower: string, use: (value: string) => void): void {
    const lines = this.#lines;
    const text = this.#text;
    const edits = this.#edits;
    for (let at = 0, i = 0; at < lines.length; at += LINE_STRIDE, i++) {
      const edit = edits === undefined ? undefined : edits[i];
      if (edit === undefined) {
        const colon = lines[at + 1] as number;
        if (equalsIgnoreCase(text, lines[at] as number, colon, lower))
          use(fieldValue(text, colon, lines[at + 2] as number));
      } else if (edit !== null && edit.lower === lower) use(edit.value);
    }
    if (this.#added !== undefined) for (const line of this.#added) if (line.lower === lower) use(line.value);
  }

  /** Index of the first line from `from` on that has the name and is not removed, or -1. */
  #find(lower: string, from: number): number {
    const lines = this.#lines;
    for (let i = from, n = lines.length / LINE_STRIDE; i < n; i++) {
      const edit = this.#edits === undefined ? undefined : this.#edits[i];
      if (edit === null) continue;
      const at = i * LINE_STRIDE;
      if (edit === undefined) {
        if (equalsIgnoreCase(this.#text, lines[at] as number, lines[at + 1] as number, lower)) return i;
      } else if (edit.lower === lower) return i;
    }
    return -1;
  }

  #findAdded(lower: string): number {
    return this.#added === undefined ? -1 : this.#added.findIndex((line) => line.lower === lower);
  }

  #deleteFrom(lower: string, from: number): void {
    for (let i = this.#find(lower, from); i >= 0; i = this.#find(lower, i + 1)) this.#edit(i, null);
    if (this.#added !== undefined && this.#findAdded(lower) >= 0)
      this.#added = this.#added.filter((line) => line.lower !== lower);
  }

  /** Removes received aliases of `lower`. */
  #deleteAliases(lower: string): void {
    const folded = foldedName(lower);
    const lines = this.#lines;
    for (let i = 0, n = lines.length / LINE_STRIDE; i < n; i++) {
      const name = this.#text.slice(lines[i * LINE_STRIDE], lines[i * LINE_STRIDE + 1]).toLowerCase();
      if (name !== lower && foldedName(name) === folded && !this.#edits?.[i]) this.#edit(i, null);
    }
  }

  #edit(index: number, edit: AddedLine | null): void {
    this.#edits ??= new Array<AddedLine | null | undefined>(this.#lines.length / LINE_STRIDE);
    this.#edits[index] = edit;
    if (edit !== null) this.#replaced = true;
  }
}
