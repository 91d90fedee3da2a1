import type { Diagnostic } from "../model/diagnostic.js";
import { MAX_SOURCE, type SourceText, type Spanned } from "../model/source.js";
import { parseJson } from "./json.js";
import { type LossyNumber, PackedMarks } from "./marks.js";
import { SourceDiagnostics } from "./source-diagnostics.js";
import { NodeSpans } from "./spans.js";
import { parseYaml } from "./yaml.js";

// Characters that YAML and JSON forbid, except tab, line feed and carriage return.
const CONTROL = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/g;

/** Faults that leave the rest of the text unambiguous: of a repeated key, the first counts. */
const HARMLESS: ReadonlySet<string> = new Set(["GW1003"]);

/**
 * Turns every syntax fault into a diagnostic. The document is undefined after a fault that makes the rest
 * ambiguous. An empty YAML source is a document with the value null.
 */
export function parseSource(source: SourceText): {
  document: Spanned | undefined;
  /** Absent if there are none. */
  lossy?: readonly LossyNumber[];
  diagnostics: Diagnostic[];
} {
  const findings = new SourceDiagnostics(source);
  const parsed = readable(source.text, findings)
    ? source.format === "json"
      ? parseJson(source.text, findings)
      : parseYaml(source.text, findings)
    : undefined;
  if (parsed === undefined || findings.list.some(({ code }) => !HARMLESS.has(code)))
    return { document: undefined, diagnostics: findings.told() };
  return {
    ...(parsed.lossy && { lossy: parsed.lossy }),
    document: {
      value: parsed.value,
      spans: new NodeSpans(source.name, findings.lines, new PackedMarks(parsed.mark)),
    },
    diagnostics: findings.told(),
  };
}

function readable(text: string, findings: SourceDiagnostics): boolean {
  if (text.length > MAX_SOURCE) {
    findings.add("GW1007", 0, 0, { size: text.length, limit: MAX_SOURCE });
    return false;
  }
  for (const found of text.matchAll(CONTROL)) {
    const code = found[0].charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    findings.add("GW1006", found.index, found.index + 1, { character: `U+${code}` });
    if (findings.list.length >= 10) break;
  }
  return findings.list.length === 0;
}
