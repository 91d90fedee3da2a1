import { encodeMappings, type Mapping, type SourceMap } from "../../runtime/abi/source-map.js";
import type { Span } from "../diagnostics/diagnostic.js";
import { type GeneratedModule, readParts, type TaggedPart } from "../emit/typescript.js";
import { readNote } from "../plan/origin.js";
import type { Places } from "../plan/places.js";

const HEAD = /^\/\/ Compiled by gwc \S+ from (\S+), plan /;
const NOTE = "// ";
/** What belongs to the whole again: the code before it belongs to the note above it. */
const WHOLE =
  /^(?:module\.exports|export default|import|const \{.*\} = require|\}\);| {2}(?:id|resources|credentials|withheld|\},?$))/;

/**
 * The map of a module: each statement leads to the setting that it is made from, else to the part of the configuration whose
 * address stands in the note above it. Apart from the module, whose bytes depend on no place.
 * @param file name without folder @param nameOf what the map calls a configuration file
 */
export function sourceMap(
  file: string,
  { content, parts }: Pick<GeneratedModule, "content" | "parts">,
  places: Places,
  nameOf: (file: string) => string,
): SourceMap {
  const sources = new Map<string, number>();
  const names = new Map<string, number>();
  const mappings: Mapping[] = [];
  const known = new Map<string, Target | undefined>();
  const targetOf = (address: string): Target | undefined => {
    if (known.has(address)) return known.get(address);
    const span = places.span(address);
    const target = span && {
      ...placeOf(span),
      source: indexIn(sources, nameOf(span.file)),
      name: indexIn(names, address),
    };
    known.set(address, target);
    return target;
  };
  for (const { line, column, addresses } of addressesIn(content, readParts(parts))) {
    const target = first(addresses, targetOf);
    if (target !== undefined) mappings.push({ line, column, ...target });
  }
  return {
    ...{ version: 3, file, sources: [...sources.keys()], names: [...names.keys()] },
    mappings: encodeMappings(mappings),
  };
}

/** What all statements of an address lead to. */
type Target = Omit<Mapping, "line" | "column">;

const placeOf = ({ start }: Span) => ({ sourceLine: start.line - 1, sourceColumn: start.column - 1 });

function indexIn(list: Map<string, number>, item: string): number {
  const index = list.get(item) ?? list.size;
  list.set(item, index);
  return index;
}

/** From there on; the finest address comes first, and counts where it has a place. */
interface Addressed {
  line: number;
  column: number;
  addresses: (string | undefined)[];
}

/** A setting, and the indentation of the line that it is said in: what is indented deeper, and its end, belongs to it too. */
interface Open {
  indent: number;
  address: string;
}

function addressesIn(code: string, parts: readonly TaggedPart[]): Addressed[] {
  const found: Addressed[] = [];
  let whole: string | undefined;
  let noted: string | undefined;
  let isNoted = false;
  const open: Open[] = [];
  let next = 0;
  code.split("\n").forEach((text, line) => {
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
    if (WHOLE.test(text) || (!isNoted && text.startsWith("const "))) noted = whole;
    isNoted = false;
    while (isOver(open.at(-1), indent, text)) open.pop();
    const outer = [open.at(-1)?.address, noted];
    const begin = next;
    for (let part = parts[next]; part?.line === line; part = parts[++next]) {
      const column = next === begin ? indent : part.column;
      found.push({ line, column, addresses: [part.address, ...outer] });
    }
    const last = parts[next - 1];
    if (next === begin || last === undefined) found.push({ line, column: indent, addresses: outer });
    else open.push({ indent, address: last.address });
  });
  return found;
}

/** Reports whether a line is no longer of that setting. */
function isOver(open: Open | undefined, indent: number, text: string): boolean {
  if (open === undefined || indent > open.indent) return false;
  return indent < open.indent || !/[)\]}]/.test(text.charAt(indent));
}

function first<T>(
  addresses: Addressed["addresses"],
  find: (address: string) => T | undefined,
): T | undefined {
  for (const address of addresses) {
    const target = address === undefined ? undefined : find(address);
    if (target !== undefined) return target;
  }
  return undefined;
}
