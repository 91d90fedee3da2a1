import { readNote } from "../model/config-path.js";
import { type GeneratedModule, readParts, type TaggedPart } from "./typescript.js";

/** Config paths of the code from a position on. */
export interface Addressed {
  /** Line and column count from 0. */
  line: number;
  column: number;
  /** Settings that may have generated the code, the likeliest first. */
  settings: readonly string[];
  /** Settings that contain those. */
  around: readonly string[];
  /** Config path in the comment above, for code without a setting. */
  noted: string | undefined;
}

const HEAD = /^\/\/ Compiled by gwc \S+ from (\S+), plan /;
const NOTE = "// ";
/** Exported lines that belong to the whole module: the code before them belongs to the comment above it. */
const WHOLE = /^(?:\}\);| {2}(?:id|resources|credentials|withheld|\},?$))/;
const IMPORT = /^(?:import|const \{.*\} = require|module\.exports|export default)/;
const EXPORT = /^(?:module\.exports|export default)/;
const CONSTANT = /^\s*const ([\w$]+) = /;
const TEXT = /"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'/g;

/** Setting with the indentation of its line. Deeper lines, and the closing bracket, belong to it too. */
interface Open {
  indent: number;
  settings: readonly string[];
}

/** Constant without a comment, or local of a phase: its settings are those of the code that uses it first. */
interface Unnoted {
  name: string;
  line: number;
  settings: string[];
}

/** Config paths of each statement of a module, from its comments and its tags, which `parts` holds. */
export function addressesIn({ content, parts }: Pick<GeneratedModule, "content" | "parts">): Addressed[] {
  const lines = content.split("\n");
  const found: Addressed[] = [];
  const unnoted: Unnoted[] = [];
  const tagged = new TaggedLines(readParts(parts));
  let whole: string | undefined;
  let noted: string | undefined;
  let isNoted = false;
  let isExport = false;
  const open: Open[] = [];
  lines.forEach((text, line) => {
    if (text === "") return;
    const indent = text.search(/\S/);
    if (text.startsWith("//", indent)) {
      const head = HEAD.exec(text)?.[1];
      if (head !== undefined) whole = head;
      noted = head ?? readNote(text.slice(indent + NOTE.length)) ?? noted;
      open.length = 0;
      isNoted = true;
      return;
    }
    isExport ||= EXPORT.test(text);
    const constant = isNoted && !isExport ? undefined : CONSTANT.exec(text)?.[1];
    if (IMPORT.test(text) || (isExport ? WHOLE.test(text) : constant !== undefined)) noted = whole;
    isNoted = false;
    while (isOver(open.at(-1), indent, text)) open.pop();
    const around = open.at(-1)?.settings ?? [];
    const own = tagged.of(line, indent);
    if (own.length === 0 && constant === undefined) {
      found.push({ line, column: indent, settings: [], around, noted });
      return;
    }
    if (own.length === 0) {
      const settings: string[] = [];
      unnoted.push({ name: constant ?? "", line, settings });
      own.push({ column: indent, settings });
    }
    for (const { column, settings } of own) found.push({ line, column, settings, around, noted });
    open.push({ indent, settings: own.at(-1)?.settings ?? around });
  });
  for (const constant of unnoted.reverse()) giveUser(constant, lines, found);
  return found;
}

/** Gives a constant the settings of the code that uses it first. */
function giveUser(
  { name, line, settings }: Unnoted,
  lines: readonly string[],
  found: readonly Addressed[],
): void {
  const named = new RegExp(`(?<![\\w$.])${name.replaceAll("$", "\\$")}(?![\\w$])`);
  for (let at = line + 1; at < lines.length; at++) {
    const code = (lines[at] ?? "").replace(TEXT, (text) => " ".repeat(text.length));
    const column = code.search(named);
    if (column < 0) continue;
    const user = found.findLast((one) => one.line === at && one.column <= column);
    if (user === undefined) return;
    const { around, noted } = user;
    settings.push(...user.settings, ...around, ...(noted === undefined ? [] : [noted]));
    return;
  }
}

class TaggedLines {
  readonly #parts: readonly TaggedPart[];
  #next = 0;

  constructor(parts: readonly TaggedPart[]) {
    this.#parts = parts;
  }

  /**
   * The first tag of a line counts from the indentation. Of several tags at one position, the last is the
   * innermost and likeliest.
   */
  of(line: number, indent: number): { column: number; settings: string[] }[] {
    const found: { column: number; settings: string[] }[] = [];
    let last = -1;
    for (let part = this.#parts[this.#next]; part?.line === line; part = this.#parts[++this.#next]) {
      if (part.column === last) found.at(-1)?.settings.unshift(part.address);
      else found.push({ column: found.length === 0 ? indent : part.column, settings: [part.address] });
      last = part.column;
    }
    return found;
  }
}

/** Reports whether a line no longer belongs to that setting. */
function isOver(open: Open | undefined, indent: number, text: string): boolean {
  if (open === undefined || indent > open.indent) return false;
  return indent < open.indent || !/[)\]}]/.test(text.charAt(indent));
}
