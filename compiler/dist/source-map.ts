import { encodeMappings, type Mapping, type SourceMap } from "../../runtime/abi/source-map.js";
import type { GeneratedModule } from "../emit/typescript.js";
import { originOf, readOrigin } from "../plan/origin.js";
import type { Places } from "../plan/places.js";
import { type Addressed, addressesIn } from "./statement-addresses.js";

/**
 * The map of a module: each statement leads to the setting that it is made from, else to the part of the configuration whose
 * address stands in the note above it. Apart from the module, whose bytes depend on no place.
 * @param file file name without folder @param nameOf what the map calls a configuration file
 */
export function sourceMap(
  file: string,
  module: Pick<GeneratedModule, "content" | "parts">,
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
      ...{ sourceLine: span.start.line - 1, sourceColumn: span.start.column - 1 },
      source: indexIn(sources, nameOf(span.file)),
      name: indexIn(names, address),
    };
    known.set(address, target);
    return target;
  };
  const writtenAt = writtenIn(places);
  for (const statement of addressesIn(module)) {
    const { line, column } = statement;
    const address = addressOf(statement, writtenAt);
    const target = address === undefined ? undefined : targetOf(address);
    if (target !== undefined) mappings.push({ line, column, ...target });
  }
  return {
    ...{ version: 3, file, sources: [...sources.keys()], names: [...names.keys()] },
    mappings: encodeMappings(mappings),
  };
}

/** Place that all statements of an address lead to. */
type Target = Omit<Mapping, "line" | "column">;

function indexIn(list: Map<string, number>, item: string): number {
  const index = list.get(item) ?? list.size;
  list.set(item, index);
  return index;
}

/** The part of an address that is written. */
interface Written {
  address: string;
  /** Steps below its resource. */
  depth: number;
  /** True if that is the whole of the address. */
  isWhole: boolean;
}

function writtenIn(places: Places): (address: string) => Written | undefined {
  const known = new Map<string, Written | undefined>();
  return (address) => {
    if (known.has(address)) return known.get(address);
    const read = readOrigin(address);
    const path = places.written(address);
    const written =
      read === undefined || path === undefined
        ? undefined
        : path.length === read.path.length
          ? { address, depth: path.length, isWhole: true }
          : { address: originOf(read.owner, path), depth: path.length, isWhole: false };
    known.set(address, written);
    return written;
  };
}

/** The first setting that is written, else the nearest part around one. */
function addressOf(
  { settings, around, noted }: Addressed,
  writtenAt: (address: string) => Written | undefined,
): string | undefined {
  let nearest: Written | undefined;
  for (const address of settings) {
    const written = writtenAt(address);
    if (written?.isWhole) return address;
    nearest = deeper(nearest, written);
  }
  for (const address of around) nearest = deeper(nearest, writtenAt(address));
  nearest ??= noted === undefined ? undefined : writtenAt(noted);
  return nearest?.address;
}

function deeper(one: Written | undefined, other: Written | undefined): Written | undefined {
  return other !== undefined && other.depth > (one?.depth ?? -1) ? other : one;
}
