import type { Replace } from "../plugins/plugin.js";
import type { ReplacementPart } from "../regex/regex.js";
import { WIDTH } from "./layout.js";
import { printLiteral, printProperty } from "./printers.js";
import type { ModuleScope } from "./scope.js";

/** Highest group that `$nn` of a replacement text can name (ECMA-262 GetSubstitution). */
const HIGHEST_NAMED = 99;
/** Columns of `const rewriteBody = ` and the semicolon. */
const DECLARATION = 21;

/** A filter over a whole body, string to string; see `PluginPrinter.bodyFilter`. */
export function bodyFilterCode(
  rules: readonly Replace[],
  options: Readonly<Record<string, string | number>>,
  scope: ModuleScope,
): string {
  const imported = (name: string) => scope.imported(name).text;
  const settings = Object.entries(options).map(
    ([key, value]) => `${printProperty(key)}: ${printLiteral(value)}`,
  );
  const chain = replaceChain(rules, imported);
  const start = `${imported("filter")}(`;
  const last = settings.length === 0 ? "" : `, { ${settings.join(", ")} }`;
  const oneLine = `${start}(text) => ${chain.join("")}${last})`;
  if (oneLine.length + DECLARATION <= WIDTH) return oneLine;
  if (settings.length === 0) return `${start}(text) =>\n${arrowBody(chain, "  ")},\n)`;
  return `${start}\n  (text) =>\n${arrowBody(chain, "    ")},\n  { ${settings.join(", ")} },\n)`;
}

/** The chain on a line of its own, or one call a line. */
function arrowBody([subject = "text", ...calls]: readonly string[], indent: string): string {
  const line = `${indent}${subject}${calls.join("")},`;
  if (line.length <= WIDTH || calls.length === 0) return line.slice(0, -1);
  return [`${indent}${subject}`, ...calls.map((call) => `${indent}  ${call}`)].join("\n");
}

/** `text`, then one `.replace(…)` an element; runs of UTF-8 rules are wrapped in decode and encode. */
function replaceChain(rules: readonly Replace[], imported: (name: string) => string): string[] {
  let chain = ["text"];
  for (let i = 0; i < rules.length; ) {
    const utf8 = rules[i]?.utf8 ?? false;
    let end = i;
    while (end < rules.length && (rules[end]?.utf8 ?? false) === utf8) end++;
    const calls = rules
      .slice(i, end)
      .map((rule) => `.replace(${rule.pattern.text}, ${replacementCode(rule)})`);
    chain = utf8
      ? [`${imported("encodeUtf8")}(${imported("decodeUtf8")}(${chain.join("")})${calls.join("")})`]
      : [...chain, ...calls];
    i = end;
  }
  return chain;
}

/** What `replace` puts in: a text with JavaScript's `$&` and `$1`; a function only for groups above 99. */
function replacementCode({ replacement, utf8 }: Replace): string {
  const literal = (part: { literal: string }) =>
    utf8 ? Buffer.from(part.literal, "latin1").toString() : part.literal;
  if (replacement.some((part) => "capture" in part && part.capture > HIGHEST_NAMED)) {
    const pieces = replacement.map((part) =>
      "literal" in part ? printLiteral(literal(part)) : `(groups[${part.capture}] ?? "")`,
    );
    return `(...groups) => ${pieces.join(" + ")}`;
  }
  const text = replacement.map((part, i) =>
    "literal" in part
      ? literal(part).replaceAll("$", "$$$$")
      : captureReference(part.capture, replacement[i + 1]),
  );
  return printLiteral(text.join(""));
}

/** `$1` before a digit is written `$01`, or the digit would belong to the number. */
function captureReference(capture: number, next: ReplacementPart | undefined): string {
  if (capture === 0) return "$&";
  const digitFollows = next !== undefined && "literal" in next && /^[0-9]/.test(next.literal);
  return digitFollows ? `$${String(capture).padStart(2, "0")}` : `$${capture}`;
}
