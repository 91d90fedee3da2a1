import { encodeMappings, type Mapping, type SourceMap } from "../../runtime/abi/source-map.js";
import type { Span } from "../diagnostics/diagnostic.js";
import { readNote } from "../plan/origin.js";
import type { Places } from "../plan/places.js";

const HEAD = /^\/\/ Compiled by gwc \S+ from (\S+), plan /;
const COMMENT = /^\s*\/\/ (.+)$/;
/** What belongs to the whole again: the code before it belongs to the note above it. */
const WHOLE =
  /^(?:module\.exports|export default|import|const \{.*\} = require|\}\);| {2}(?:id|resources|credentials|withheld|\},?$))/;

/**
 * The map of a module: each statement leads to the part of the configuration whose address stands in the note above it.
 * Apart from the module, whose bytes depend on no place.
 * @param file name without folder @param nameOf what the map calls a configuration file
 */
export function sourceMap(
  file: string,
  code: string,
  places: Places,
  nameOf: (file: string) => string,
): SourceMap {
  const sources = new Map<string, number>();
  const names = new Map<string, number>();
  const mappings: Mapping[] = [];
  const known = new Map<string, Target | undefined>();
  const targetOf = (address: string): Target | undefined => {
    const span = places.span(address);
    if (span === undefined) return undefined;
    return { ...placeOf(span), source: indexIn(sources, nameOf(span.file)), name: indexIn(names, address) };
  };
  let whole: string | undefined;
  let current: string | undefined;
  code.split("\n").forEach((text, line) => {
    const column = text.search(/\S/);
    const isComment = text.startsWith("//", column);
    const head = isComment ? HEAD.exec(text)?.[1] : undefined;
    const note = isComment ? COMMENT.exec(text)?.[1] : undefined;
    if (head !== undefined) current = whole = head;
    else if (note !== undefined) current = readNote(note) ?? current;
    else if (text !== "") {
      if (WHOLE.test(text)) current = whole;
      if (current === undefined) return;
      if (!known.has(current)) known.set(current, targetOf(current));
      const target = known.get(current);
      if (target !== undefined) mappings.push({ line, column, ...target });
    }
  });
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
