import type { Span } from "../compiler/diagnostics/diagnostic.js";
import type { SourceText } from "../compiler/parse/source.js";

const SHOWN = "***";
/** A shorter secret is hidden where it is the whole of a text: in all others its letters are those of any word. */
const SHORTEST = 4;

/** Members of a report whose names are data and not the report's own. */
const DATA: ReadonlySet<string> = new Set(["expected", "actual"]);

/** Puts `***` in the place of secrets, in every text of a report; a secret that is spelled like a field of the report takes nothing from it. */
export function hiding(secrets: readonly string[]): <T>(value: T) => T {
  const parts = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST);
  // One may be a part of another.
  parts.sort((a, b) => b.length - a.length);
  const wholes = new Set(secrets.filter((secret) => secret !== "" && secret.length < SHORTEST));
  const text = (shown: string) =>
    wholes.has(shown) ? SHOWN : parts.reduce((rest, secret) => rest.replaceAll(secret, SHOWN), shown);
  const hidden = (value: unknown, inData: boolean): unknown => {
    if (typeof value === "string") return text(value);
    if (Array.isArray(value)) return value.map((item) => hidden(item, inData));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [
        inData ? text(name) : name,
        hidden(member, inData || DATA.has(name)),
      ]),
    );
  };
  return <T>(value: T) => hidden(value, false) as T;
}

/** Where they stand in sources: a test may repeat the key of a consumer, and a finding beside it shows the line. */
export function spansOf(sources: readonly SourceText[], secrets: readonly string[]): Span[] {
  const parts = [...new Set(secrets)].filter((secret) => secret.length >= SHORTEST && !secret.includes("\n"));
  return sources.flatMap(({ name: file, text }) =>
    text.split(/\r?\n/).flatMap((line, index) =>
      parts.flatMap((secret) =>
        columnsOf(line, secret).map((column) => ({
          file,
          start: { line: index + 1, column },
          end: { line: index + 1, column: column + secret.length },
        })),
      ),
    ),
  );
}

function columnsOf(line: string, secret: string): number[] {
  const columns: number[] = [];
  for (let at = line.indexOf(secret); at >= 0; at = line.indexOf(secret, at + secret.length))
    columns.push(at + 1);
  return columns;
}
