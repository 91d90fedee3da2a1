import type { CompileInput, StoredResource } from "../input.js";
import type { SourceText, Spanned } from "../parse/source.js";

/** What reading gave at other times, for the same to be taken again. */
export interface FileCache<Part> {
  /** Before the first of them. */
  begin(environment: CompileInput["environment"]): void;
  /** @param document the parsed text alone, with the environment's values */
  file(source: SourceText, read: () => Part, document: () => Spanned | undefined): Part;
  stored(entry: StoredResource, read: () => Part): Part;
}
