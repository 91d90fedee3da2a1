import { visible } from "../../runtime/abi/text/unseen.js";
import type { Diagnostic } from "../model/diagnostic.js";

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
    const at = note.span ? `${note.span.file}:${note.span.start.line}:${note.span.start.column} ` : "";
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
