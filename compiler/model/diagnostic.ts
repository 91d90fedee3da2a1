/** Line and column, both from 1. Columns count UTF-16 code units, as editors do. */
export interface Position {
  line: number;
  column: number;
}

/** Range in a file, relative to the working directory, or in an admin body: "PUT /gw/admin/routes/1". */
export interface Span {
  file: string;
  start: Position;
  /** Exclusive. */
  end: Position;
}

/** Location as it is printed: "shop.yaml:31:9". */
export const locationText = ({ file, start }: Pick<Span, "file" | "start">): string =>
  `${file}:${start.line}:${start.column}`;

/** Span of a file or text of which no position is known. */
export function startOfFile(file: string): Span {
  const start = { line: 1, column: 1 };
  return { file, start, end: start };
}

/** Reads a printed location. @param otherwise file whose start is returned if the text is no location */
export function spanOfLocation(location: string, otherwise: string): Span {
  const [, file, line, column] = /^(.*):(\d+):(\d+)$/s.exec(location) ?? [];
  if (file === undefined) return startOfFile(otherwise);
  const start = { line: Number(line), column: Number(column) };
  return { file, start, end: start };
}

/** A note is no mistake, not even with `--strict`, but information for the reader. */
export type Severity = "error" | "warning" | "note";

export interface Note {
  message: string;
  span?: Span;
}

/**
 * Correction at the location of a diagnostic: a field is renamed in place, or a value replaced, removed or
 * added. Paths start at the root of the text.
 */
export type Fix =
  | { op: "rename"; path: readonly (string | number)[]; to: string }
  | { op: "replace" | "add"; path: readonly (string | number)[]; value: unknown }
  | { op: "remove"; path: readonly (string | number)[] };

/** Message to the operator. Its wording comes from the catalogue, never from the code that reports it. */
export interface Diagnostic {
  /** Code, such as "GW2107". */
  code: string;
  severity: Severity;
  message: string;
  span?: Span;
  notes: Note[];
  help?: string;
  /** Set if there is only one plausible way. */
  fix?: Fix;
  /** `error_msg` of the admin API where the reference fixes its wording; otherwise `message` is used. */
  errorMessage?: string;
  /** Rank among the checks of the reference: the lowest decides the response to a write. */
  errorRank?: number;
  /** `errorMessage` without the value, which may be a misplaced secret: for logs. */
  errorReason?: string;
}

export type Report = (finding: Diagnostic) => void;

export const isError = ({ severity }: Pick<Diagnostic, "severity">): boolean => severity === "error";

export const hasErrors = (diagnostics: readonly Diagnostic[]): boolean => diagnostics.some(isError);

/** Placeholders like `{name}` are filled with the parameters of the reporter. */
export interface CatalogueEntry {
  severity: Severity;
  /** Note to authors of a configuration: a build, a start and a reload do not report it. */
  advice?: true;
  /** One line for lists and SARIF rules. */
  summary: string;
  message: string;
  help?: string;
  /** Markdown for `gwc explain`: the reason, an example, and the correction. */
  explain: string;
}

export type Catalogue = Readonly<Record<string, CatalogueEntry>>;
