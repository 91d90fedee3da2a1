import { encodeMappings, type Mapping, type SourceMap } from "../../runtime/abi/source-map.js";
import type { Span } from "../diagnostics/diagnostic.js";
import { readNote } from "../plan/origin.js";
import type { Places } from "../plan/places.js";

const HEAD = /^\/\/ Compiled by gwc \S+ from (\S+), plan /;
const COMMENT = /^\s*\/\/ (.+)$/;
/** What belongs to the whole again: the code before it belongs to the note above it. */
const WHOLE =
  /^(?:module\.exports|export default|import|const \{.*\} = require|\}\);| {2}(?:id|resources|credentials|\},?$))/;

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
  let whole: string | undefined;
  let current: string | undefined;
  code.split("\n").forEach((text, line) => {
    const head = HEAD.exec(text)?.[1];
    const note = COMMENT.exec(text)?.[1];
    if (head !== undefined) current = whole = head;
    else if (note !== undefined) current = readNote(note) ?? current;
    else if (text !== "") {
      if (WHOLE.test(text)) current = whole;
      const span = current === undefined ? undefined : places.span(current);
      if (current === undefined || span === undefined) return;
      const column = text.search(/\S/);
      mappings.push({
        ...{ line, column, ...placeOf(span) },
        source: indexIn(sources, nameOf(span.file)),
        name: indexIn(names, current),
      });
    }
  });
  return {
    ...{ version: 3, file, sources: [...sources.keys()], names: [...names.keys()] },
    mappings: encodeMappings(mappings),
  };
}

const placeOf = ({ start }: Span) => ({ sourceLine: start.line - 1, sourceColumn: start.column - 1 });

function indexIn(list: Map<string, number>, item: string): number {
  const index = list.get(item) ?? list.size;
  list.set(item, index);
  return index;
}
