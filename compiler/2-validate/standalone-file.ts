import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { SourceText } from "../model/source.js";

/** Last line of a standalone file, without which APISIX does not read it. */
const END = /^#END[ \t\r]*$/;

/**
 * Returns a note for a file of APISIX's standalone mode: its resources are read, and the line is a comment.
 */
export function standaloneDiagnostics({ name, text, format }: SourceText): Diagnostic[] {
  if (format !== "yaml" || !text.includes("#END")) return [];
  const lines = text.split("\n");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  if (!END.test(lines[last] ?? "")) return [];
  const line = last + 1;
  return [diagnostic("GW3073", { file: name, start: { line, column: 1 }, end: { line, column: 5 } })];
}
