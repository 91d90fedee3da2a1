import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic } from "../model/diagnostic.js";
import type { SourceText } from "../model/source.js";

/** APISIX does not read a standalone file without this last line. */
const END = /^#END[ \t\r]*$/;

/** Notes that the resources are read, and that the line is a comment. */
export function standaloneDiagnostics({ name, text, format }: SourceText): Diagnostic[] {
  if (format !== "yaml" || !text.includes("#END")) return [];
  const lines = text.split("\n");
  const last = lines.findLastIndex((line) => line.trim() !== "");
  if (!END.test(lines[last] ?? "")) return [];
  const line = last + 1;
  return [diagnostic("GW3073", { file: name, start: { line, column: 1 }, end: { line, column: 5 } })];
}
