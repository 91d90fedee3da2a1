import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { parsePlainYaml } from "../../../compiler/1-parse/plain-yaml.js";
import { SourceDiagnostics } from "../../../compiler/1-parse/source-diagnostics.js";
import { parseAnyYaml } from "../../../compiler/1-parse/yaml.js";
import { numbers } from "../../support/random.js";

/** Parses a text with the full YAML parser. @returns undefined if it reports a diagnostic. */
function whole(text: string) {
  const findings = new SourceDiagnostics({ name: "a.yaml", text, format: "yaml" });
  const { value, mark, lossy } = parseAnyYaml(text, findings) ?? {};
  return findings.list.length > 0 || lossy !== undefined ? undefined : { value, mark };
}

const written = ["examples", "plugins", "test/diagnostics", "test/conformance"].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((name) => /\.ya?ml$/.test(name))
    .map((name) => readFileSync(join(folder, name), "utf8")),
);

const PIECES = [
  ..." \n:-#[]{},'\"\\01.ex~&*!|>?a_=%@/é$+<\t\r\ufeff",
  ...["  ", "\n  ", ": ", "- ", " #", "\n\n", "null", "true", "1.0", "-1", "<<", "--- ", "0x1", "\ud800"],
];

/** Yields small edits of real texts, since parsers differ where one kind of text ends and another begins. */
function* edited(count: number): Generator<string> {
  const below = numbers(7);
  for (let i = 0; i < count; i++) {
    let text = written[below(written.length)] ?? "";
    const line = text.indexOf("\n", below(Math.max(1, text.length - 300)));
    if (text.length > 400) text = text.slice(line + 1, line + 300);
    for (let edits = below(3); edits >= 0; edits--) {
      const at = below(text.length + 1);
      const piece = below(3) === 0 ? "" : (PIECES[below(PIECES.length)] ?? "");
      text = text.slice(0, at) + piece + text.slice(at + below(3));
    }
    yield text;
  }
}

describe("plain YAML", () => {
  it("the plain YAML parser reads the project's files as the full parser does, with values and spans", () => {
    const read = written.filter((text) => parsePlainYaml(text) !== undefined);
    expect(read.length).toBeGreaterThan(written.length / 2);
    for (const text of read) expect(parsePlainYaml(text)).toEqual(whole(text));
  });

  it("the plain YAML parser reads small edits of files as the full parser does or not at all", () => {
    const differing = [...edited(6_000)].filter((text) => {
      const plain = parsePlainYaml(text);
      return plain !== undefined && JSON.stringify(shown(plain)) !== JSON.stringify(shown(whole(text)));
    });
    expect(differing).toEqual([]);
  });

  it.each([
    ["a text over two lines", "a: one\n  two\n"],
    ["a block text", "a: |\n  one\n"],
    ["a key given twice", "a: 1\na: 2\n"],
    ["a number that loses zeros", "a: 1.10\n"],
    ["an anchor", "a: &b 1\n"],
    ["a merge key", "<<: {}\n"],
    ["two documents", "a: 1\n---\nb: 2\n"],
    ["no value", "a:\n"],
    ["a number that is too large", "a: 99999999999999999999\n"],
    ["a comment that belongs to what ends before it", "a:\n  b: 1\n  # last\n"],
  ])("the plain YAML parser leaves %s to the full parser", (_, text) => {
    expect(parsePlainYaml(text)).toBeUndefined();
  });
});

/** Turns maps into lists, which JSON can represent. */
function shown(value: unknown): unknown {
  if (value instanceof Map) return [...value].map(shown);
  if (Array.isArray(value)) return value.map(shown);
  if (typeof value !== "object" || value === null) return value;
  return Object.entries(value).map(([name, member]) => [name, shown(member)]);
}
