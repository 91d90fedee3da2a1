import type { ReplacementPart } from "../model/plan.js";
import type { BodyFilterRule } from "../plugin/definition.js";
import { WIDTH } from "./layout.js";
import { printLiteral, printProperty } from "./printers.js";
import type { ModuleScope } from "./scope.js";
import type { SettingSources } from "./setting-sources.js";
import { columnsOf } from "./tag.js";

/** Columns of `const rewriteBody = ` and the semicolon. */
const DECLARATION = 21;

/**
 * Prints a filter over a body, with rules as plain data; see `PluginPrinter.bodyFilter`.
 * @param from settings of the options
 */
export function bodyFilterCode(
  rules: readonly BodyFilterRule[],
  options: Readonly<Record<string, string | number>>,
  scope: ModuleScope,
  from: SettingSources,
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

/** Prints a rule on one line if it is short, otherwise each field on a line. */
function ruleCode(fields: readonly string[], indent: string): string {
  const line = `{ ${fields.join(", ")} }`;
  if (indent.length + columnsOf(line) + 1 <= WIDTH) return line;
  return `{\n${fields.map((field) => `${indent}  ${field},\n`).join("")}${indent}}`;
}

function ruleFields({ pattern, replacement, utf8, slide }: BodyFilterRule): string[] {
  const fields = [`pattern: ${pattern.text}`, `replacement: ${replacementCode(replacement, utf8)}`];
  if (utf8) fields.push("utf8: true");
  if (slide === null) return fields;
  fields.push(`window: ${slide.window}`);
  if (slide.lookbehind > 0) fields.push(`lookbehind: ${slide.lookbehind}`);
  if (slide.trailingRun !== null) fields.push(`trailingRun: ${slide.trailingRun.text}`);
  if (slide.partial === null || slide.partial === undefined) return fields;
  fields.push(`partial: ${slide.partial.pattern.text}`);
  if (slide.partial.pad > slide.window) fields.push(`pad: ${slide.partial.pad}`);
  return fields;
}

/**
 * Prints a replacement: a text, or with captures a list of texts and numbers. With option `u` the text is
 * decoded like the body.
 */
function replacementCode(replacement: readonly ReplacementPart[], utf8: boolean): string {
  const parts = replacement.map((part) => {
    if ("capture" in part) return String(part.capture);
    return printLiteral(utf8 ? Buffer.from(part.literal, "latin1").toString() : part.literal);
  });
  if (replacement.some((part) => "capture" in part)) return `[${parts.join(", ")}]`;
  return parts[0] ?? '""';
}
