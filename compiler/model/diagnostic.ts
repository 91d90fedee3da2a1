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
