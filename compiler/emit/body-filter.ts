import type { Replace } from "../plugin/definition.js";
import type { ReplacementPart } from "../regex/regex.js";
import { WIDTH } from "./layout.js";
import type { MadeFrom } from "./made-from.js";
import { printLiteral, printProperty } from "./printers.js";
import type { ModuleScope } from "./scope.js";
import { columnsOf } from "./tag.js";

/** Columns of `const rewriteBody = ` and the semicolon. */
const DECLARATION = 21;

/** A filter over a body, as rules that are plain data; see `PluginPrinter.bodyFilter`. @param from settings of the options */
export function bodyFilterCode(
  rules: readonly Replace[],
  options: Readonly<Record<string, string | number>>,
  scope: ModuleScope,
  from: MadeFrom,
): string {
  const call = scope.imported("filter").text;
  const settings = Object.entries(options).map(
    ([key, value]) => `${from.member(key).tagged(printProperty(key))}: ${printLiteral(value)}`,
  );
  const fields = rules.map(ruleFields);
  const last = settings.length === 0 ? "" : `, { ${settings.join(", ")} }`;
  const oneLine = `${call}([${fields.map((rule) => `{ ${rule.join(", ")} }`).join(", ")}]${last})`;
  if (columnsOf(oneLine) + DECLARATION <= WIDTH) return oneLine;
  const indent = settings.length === 0 ? "  " : "    ";
  const list = fields.map((rule) => `${indent}${ruleCode(rule, indent)},\n`).join("");
  if (settings.length === 0) return `${call}([\n${list}])`;
  return `${call}(\n  [\n${list}  ],\n  { ${settings.join(", ")} },\n)`;
}

/** On one line where that is short, else a field a line. */
function ruleCode(fields: readonly string[], indent: string): string {
  const line = `{ ${fields.join(", ")} }`;
  if (indent.length + columnsOf(line) + 1 <= WIDTH) return line;
  return `{\n${fields.map((field) => `${indent}  ${field},\n`).join("")}${indent}}`;
}

function ruleFields({ pattern, replacement, utf8, slide }: Replace): string[] {
  const fields = [`pattern: ${pattern.text}`, `replacement: ${replacementCode(replacement, utf8)}`];
  if (utf8) fields.push("utf8: true");
  if (slide === null) return fields;
  fields.push(`window: ${slide.window}`);
  if (slide.behind > 0) fields.push(`lookbehind: ${slide.behind}`);
  if (slide.run !== null) fields.push(`trailingRun: ${slide.run.text}`);
  if (slide.partial === null || slide.partial === undefined) return fields;
  fields.push(`partial: ${slide.partial.pattern.text}`);
  if (slide.partial.pad > slide.window) fields.push(`pad: ${slide.partial.pad}`);
  return fields;
}

/** A text; with captures a list of texts and numbers. With option `u` the text is decoded like the body. */
function replacementCode(replacement: readonly ReplacementPart[], utf8: boolean): string {
  const parts = replacement.map((part) => {
    if ("capture" in part) return String(part.capture);
    return printLiteral(utf8 ? Buffer.from(part.literal, "latin1").toString() : part.literal);
  });
  if (replacement.some((part) => "capture" in part)) return `[${parts.join(", ")}]`;
  return parts[0] ?? '""';
}
