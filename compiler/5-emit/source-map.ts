import { encodeMappings, type Mapping, type SourceMap } from "../../runtime/abi/source-map.js";
import { configPath } from "../model/config-path.js";
import type { ConfigPart, SourceLocations } from "../model/source-locations.js";
import { readStatementPaths, type StatementPaths } from "./statement-paths.js";
import type { GeneratedModule } from "./typescript.js";

/**
 * Source map of a module. Each statement maps to the setting that it is generated from. The map is a separate file, so that the bytes of the module do not
 * depend on locations.
 * @param file file name without folder
 * @param nameOf name of a configuration file in the map
 */
export function sourceMap(
  file: string,
  { content, paths }: Pick<GeneratedModule, "content" | "paths">,
  places: SourceLocations,
  nameOf: (file: string) => string,
): SourceMap {
  const sources = new Map<string, number>();
  const names = new Map<string, number>();
  const mappings: Mapping[] = [];
  const targets = new Map<string, Target>();
  const targetOf = (address: string, part: ConfigPart): Target => {
    const known = targets.get(address);
    if (known !== undefined) return known;
    const { file: source, start } = part.span();
    const target = {
      ...{ sourceLine: start.line - 1, sourceColumn: start.column - 1 },
      source: indexIn(sources, nameOf(source)),
      name: indexIn(names, address),
    };
    targets.set(address, target);
    return target;
  };
  const writtenAt = writtenIn(places);
  for (const statement of readStatementPaths(content, paths)) {
    const { line, column } = statement;
    const written = partOf(statement, writtenAt);
    if (written === undefined) continue;
    const { address, part } = written;
    const named = part.isWhole ? address : configPath(part.owner, part.path);
    mappings.push({ line, column, ...targetOf(named, part) });
  }
  return {
    ...{ version: 3, file, sources: [...sources.keys()], names: [...names.keys()] },
    mappings: encodeMappings(mappings),
  };
}

/** Target that all statements of a config path map to. */
type Target = Omit<Mapping, "line" | "column">;

function indexIn(list: Map<string, number>, item: string): number {
  const index = list.get(item) ?? list.size;
  list.set(item, index);
  return index;
}

/** Config path, and the longest part of it that the files contain. */
interface Written {
  address: string;
  part: ConfigPart;
}

function writtenIn(places: SourceLocations): (address: string) => Written | undefined {
  const known = new Map<string, Written | undefined>();
  return (address) => {
    if (known.has(address)) return known.get(address);
    const part = places.written(address);
    const written = part && { address, part };
    known.set(address, written);
    return written;
  };
}

/** First setting that the files contain, otherwise the nearest enclosing part. */
function partOf(
  { settings, around }: StatementPaths,
  writtenAt: (address: string) => Written | undefined,
): Written | undefined {
  let nearest: Written | undefined;
  for (const address of settings) {
    const written = writtenAt(address);
    if (written?.part.isWhole) return written;
    nearest = deeper(nearest, written);
  }
  for (const address of around) nearest = deeper(nearest, writtenAt(address));
  return nearest;
}

/** Returns the part with more steps below its resource. */
function deeper(one: Written | undefined, other: Written | undefined): Written | undefined {
  return other !== undefined && other.part.path.length > (one?.part.path.length ?? -1) ? other : one;
}
