/** One-based line and column (columns count UTF-16 code units, as editors do). */
export interface Position {
  line: number;
  column: number;
}

/** A stretch of one source; `file` is relative to the working directory, or "PUT /gw/admin/routes/1" for an admin body. */
export interface Span {
  file: string;
  start: Position;
  /** Exclusive. */
  end: Position;
}

/** A note is no mistake, also for `--strict`: something to know where the finding is read. */
export type Severity = "error" | "warning" | "note";

export interface Note {
  message: string;
  span?: Span;
}

/**
 * A change of the value in the text of a finding's place that mends it: a field gets another name and stays where it is, a value becomes
 * another one, goes, or is added. Paths lead from the root of the text, keys and indices.
 */
export type Fix =
  | { op: "rename"; path: readonly (string | number)[]; to: string }
  | { op: "replace" | "add"; path: readonly (string | number)[]; value: unknown }
  | { op: "remove"; path: readonly (string | number)[] };

/** One finding for the operator. Wording comes from the catalogue, never from the place that reports it. */
export interface Diagnostic {
  /** "GW2107". */
  code: string;
  severity: Severity;
  message: string;
  span?: Span;
  notes: Note[];
  help?: string;
  /** How it is mended, where only one way is meant. */
  fix?: Fix;
  /** What the admin API answers as `error_msg` where the reference fixes the words; `message` where it does not. */
  errorMessage?: string;
  /** Place among the checks of the reference, which end at the first fault: the lowest speaks for the write. */
  errorRank?: number;
  /** `errorMessage` without anything of the value, which may be a secret in the wrong place: for logs. */
  errorReason?: string;
}

/** Wording of one code. Holes are written `{name}` and filled from the reporter's parameters. */
export interface CatalogueEntry {
  severity: Severity;
  /** A note for those who write a configuration: a build, a start and a reload do not tell it. */
  advice?: true;
  /** One line for lists and SARIF rules. */
  summary: string;
  message: string;
  help?: string;
  /** Markdown for `gwc explain`: why it is a mistake, an example that shows it, and how to mend it. */
  explain: string;
}

export type Catalogue = Readonly<Record<string, CatalogueEntry>>;
