import { escapeUnseen, visible } from "../../runtime/abi/text/unseen.js";
import { VERSION } from "../../runtime/abi/version.js";
import { CATALOGUE } from "../diagnostics/catalogue/index.js";
import { type Diagnostic, locationText, type Note, type Span } from "../model/diagnostic.js";
import { renderText, type TextOptions } from "./text.js";

export type Format = "text" | "json" | "sarif" | "github";

/** Only text uses sources, secrets and colour. */
export function render(format: Format, diagnostics: readonly Diagnostic[], options: TextOptions): string {
  switch (format) {
    case "text":
      return renderText(diagnostics, options);
    case "json":
      return escapeUnseen(renderJson(diagnostics));
    case "sarif":
      return escapeUnseen(renderSarif(diagnostics));
    case "github":
      return renderGithub(diagnostics);
  }
}

/** Writes one JSON object with the diagnostics and their counts. */
export function renderJson(diagnostics: readonly Diagnostic[]): string {
  const count = (severity: Diagnostic["severity"]) =>
    diagnostics.filter((one) => one.severity === severity).length;
  // Ranks and reasons are for the admin API and its log.
  const told = diagnostics.map(({ errorRank: _rank, errorReason: _reason, ...one }) => one);
  const shown = { errors: count("error"), warnings: count("warning"), diagnostics: told };
  return `${JSON.stringify(shown, null, 2)}\n`;
}

/** Writes workflow commands of GitHub Actions, one a line. GitHub shows them at their lines. */
export function renderGithub(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map((one) => `${command(one)}\n`).join("");
}

function command({ code, severity, message, span, notes, help }: Diagnostic): string {
  const place =
    span === undefined
      ? []
      : [
          `file=${property(span.file)}`,
          `line=${span.start.line}`,
          `endLine=${span.end.line}`,
          `col=${span.start.column}`,
          `endColumn=${span.end.column}`,
        ];
  const others = notes.map((note) => {
    const at = note.span ? `${locationText(note.span)} ` : "";
    return `${at}note: ${note.message}`;
  });
  const text = [message, ...others, ...(help === undefined ? [] : [`help: ${help}`])].join("\n");
  return `::${severity === "note" ? "notice" : severity} ${[...place, `title=${property(code)}`].join(",")}::${data(text)}`;
}

/** Escapes like the toolkit of GitHub Actions. */
function data(text: string): string {
  return visible(text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A"));
}

function property(text: string): string {
  return data(text).replaceAll(":", "%3A").replaceAll(",", "%2C");
}

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
