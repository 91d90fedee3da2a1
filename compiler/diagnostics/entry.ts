import type { Severity } from "./diagnostic.js";

/** Wording of one code. Holes are written `{name}` and filled from the reporter's parameters. */
export interface CatalogueEntry {
  severity: Severity;
  /** One line for lists and SARIF rules. */
  summary: string;
  message: string;
  help?: string;
  /** Markdown for `gwc explain`: why it is a mistake, an example that shows it, and how to mend it. */
  explain: string;
}

export type Catalogue = Readonly<Record<string, CatalogueEntry>>;
