import { VERSION } from "../../runtime/abi/version.js";
import { CATALOGUE } from "../diagnostics/catalogue/index.js";
import type { Diagnostic, Note, Span } from "../model/diagnostic.js";

/** Writes SARIF 2.1.0 (OASIS) for code scanning. The rules are the whole catalogue, by code. */
export function renderSarif(diagnostics: readonly Diagnostic[]): string {
  const codes = Object.keys(CATALOGUE).sort();
  const log = {
    $schema: "https://json.schemastore.org/sarif-2.1.0.json",
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "gwc", version: VERSION, semanticVersion: VERSION, rules: codes.map(rule) } },
        columnKind: "utf16CodeUnits",
        results: diagnostics.map((one) => result(one, codes)),
      },
    ],
  };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function rule(code: string): object {
  const entry = CATALOGUE[code];
  return {
    id: code,
    shortDescription: { text: entry?.summary ?? code },
    fullDescription: { text: plain(entry?.explain ?? "") },
    help: { text: plain(entry?.explain ?? ""), markdown: entry?.explain ?? "" },
    defaultConfiguration: { level: entry?.severity ?? "error" },
  };
}

function result(one: Diagnostic, codes: readonly string[]): object {
  const text = one.help === undefined ? one.message : `${one.message}\nhelp: ${one.help}`;
  const related = one.notes.flatMap((note, index) =>
    note.span ? [relatedLocation(note, note.span, index)] : [],
  );
  const unplaced = one.notes
    .filter((note) => note.span === undefined)
    .map((note) => `\nnote: ${note.message}`);
  return {
    ruleId: one.code,
    ruleIndex: codes.indexOf(one.code),
    level: one.severity,
    message: { text: text + unplaced.join("") },
    ...(one.span === undefined ? {} : { locations: [{ physicalLocation: physical(one.span) }] }),
    ...(related.length === 0 ? {} : { relatedLocations: related }),
  };
}

function relatedLocation(note: Note, span: Span, id: number): object {
  return { id, physicalLocation: physical(span), message: { text: note.message } };
}

function physical({ file, start, end }: Span): object {
  return {
    artifactLocation: { uri: file.split("/").map(encodeURIComponent).join("/") },
    region: { startLine: start.line, startColumn: start.column, endLine: end.line, endColumn: end.column },
  };
}

function plain(markdown: string): string {
  return markdown.replace(/^```.*\n?/gm, "").replaceAll("`", "");
}
