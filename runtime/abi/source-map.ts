/**
 * Source Map v3 (ECMA-426), which the compiler writes next to a module and the runtime reads when a module
 * has failed. `names` contains config paths, since that of a statement is known before its file and line.
 */
export interface SourceMap {
  version: 3;
  /** Mapped file, without folder. */
  file: string;
  /** Paths relative to the map. */
  sources: string[];
  names: string[];
  mappings: string;
}

/** Maps from a position in the file to one in a source; lines and columns count from 0. */
export interface Mapping {
  line: number;
  column: number;
  source: number;
  sourceLine: number;
  sourceColumn: number;
  name: number;
}

export interface ModulePosition {
  /** "routes/shop.js" */
  file: string;
  /** Both count from 1; the column is undefined if the running code has other columns. */
  line: number;
  column: number | undefined;
}

export interface StatementQuery extends ModulePosition {
  /** Config path in the source comments of the module: of the setting, or of the plugin around it. */
  origin: string;
  /** SHA-256 of the running module: another module has the statement elsewhere. */
  hash: string | undefined;
}

export interface StatementLocation {
  address: string;
  /** Location, "shop.yaml:31:9"; the config path if no location is known. */
  place: string;
}

/** Takes the last mapping that begins at the column or before, or the first of the line if the column is unknown. */
export function mappingAt(
  mappings: readonly Mapping[],
  { line, column }: Pick<ModulePosition, "line" | "column">,
): Mapping | undefined {
  const inLine = mappings.filter((mapping) => mapping.line === line - 1);
  const before = inLine.filter((mapping) => column !== undefined && mapping.column < column);
  return before.at(-1) ?? inLine[0];
}

const DIGITS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** Expects mappings sorted by line and column. */
export function encodeMappings(mappings: readonly Mapping[]): string {
  let text = "";
  let last: Mapping = { line: 0, column: 0, source: 0, sourceLine: 0, sourceColumn: 0, name: 0 };
  let isFirst = true;
  for (const mapping of mappings) {
    if (mapping.line > last.line) {
      text += ";".repeat(mapping.line - last.line);
      last = { ...last, column: 0 };
    } else if (!isFirst) text += ",";
    isFirst = false;
    text += encodeNumber(mapping.column - last.column) + encodeNumber(mapping.source - last.source);
    text += encodeNumber(mapping.sourceLine - last.sourceLine);
    text += encodeNumber(mapping.sourceColumn - last.sourceColumn) + encodeNumber(mapping.name - last.name);
    last = mapping;
  }
  return text;
}

function encodeNumber(value: number): string {
  let rest = value < 0 ? -value * 2 + 1 : value * 2;
  let text = "";
  do {
    const digit = rest & 31;
    rest >>>= 5;
    text += DIGITS[rest > 0 ? digit | 32 : digit] ?? "";
  } while (rest > 0);
  return text;
}

/** Leaves out segments without a name and a source, which are unused here. */
export function decodeMappings(text: string): Mapping[] {
  const found: Mapping[] = [];
  const last = { source: 0, sourceLine: 0, sourceColumn: 0, name: 0 };
  text.split(";").forEach((segments, line) => {
    let column = 0;
    for (const segment of segments.split(",")) {
      const [byColumn, source = 0, sourceLine = 0, sourceColumn = 0, name] = numbersIn(segment);
      if (byColumn === undefined) continue;
      column += byColumn;
      last.source += source;
      last.sourceLine += sourceLine;
      last.sourceColumn += sourceColumn;
      if (name === undefined) continue;
      last.name += name;
      found.push({ line, column, ...last });
    }
  });
  return found;
}

function numbersIn(segment: string): number[] {
  const numbers: number[] = [];
  let value = 0;
  let shift = 0;
  for (const character of segment) {
    const digit = DIGITS.indexOf(character);
    if (digit < 0) return [];
    value += (digit & 31) << shift;
    shift += 5;
    if ((digit & 32) !== 0) continue;
    numbers.push((value & 1) === 1 ? -(value >>> 1) : value >>> 1);
    value = 0;
    shift = 0;
  }
  return numbers;
}
