import type { CompileInput, StoredResource } from "../model/input.js";
import type { SourceText, Spanned } from "../model/source.js";

/** Results of earlier reads, for files with the same text. */
export interface FileCache<Part> {
  /** Called before the first file. */
  begin(environment: CompileInput["environment"]): void;
  /** @param document parses the text alone, with the environment's values */
  file(source: SourceText, read: () => Part, document: () => Spanned | undefined): Part;
  stored(entry: StoredResource, read: () => Part): Part;
}
