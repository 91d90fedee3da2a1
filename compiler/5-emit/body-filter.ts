import type { ReplacementPart } from "../model/plan.js";
import { Code, code, from, joinCode } from "../plugin/code.js";
import type { BodyFilterRule } from "../plugin/definition.js";
import { onLines, WIDTH } from "./layout.js";
import { withName } from "./object.js";
import { literalCode, printProperty } from "./printers.js";
import type { ModuleScope } from "./scope.js";
import type { SettingSources } from "./setting-sources.js";

/** Columns of `const rewriteBody = ` and the semicolon. */
const DECLARATION = 21;

/**
 * Prints a filter over a body, with rules as plain data; see `PluginPrinter.bodyFilter`.
 * @param sources settings of the options
 */
export function bodyFilterCode(
  rules: readonly BodyFilterRule[],
  options: Readonly<Record<string, string | number>>,
  scope: ModuleScope,
  sources: SettingSources,
): Code {
  const call = scope.imported("filter");
  const settings = Object.entries(options).map(([key, value]) =>
    withName(new Code(printProperty(key)), sources.member(key).tagged(literalCode(value))),
  );
  const inside = code`{ ${joinCode(settings, ", ")} }`;
  const list = joinCode(
    rules.map((rule) => ruleCode(rule)),
    ", ",
  );
  const last = settings.length === 0 ? new Code("") : code`, ${inside}`;
  const oneLine = code`${call}([${list}]${last})`;
  if (oneLine.length + DECLARATION <= WIDTH) return oneLine;
  const indent = settings.length === 0 ? 2 : 4;
  const lines = code`[${onLines(rules.map((rule) => ruleCode(rule, WIDTH - indent - 1)))}]`;
  return settings.length === 0 ? code`${call}(${lines})` : code`${call}(${onLines([lines, inside])})`;
}

/** Prints a rule on one line if it is short, otherwise each field on a line. It comes from its pattern's path. */
function ruleCode(rule: BodyFilterRule, width = Number.POSITIVE_INFINITY): Code {
  const { path, parts } = rule.pattern;
  const fields = ruleFields({ ...rule, pattern: path === undefined ? rule.pattern : new Code(parts) });
  const line = code`{ ${joinCode(fields, ", ")} }`;
  const printed = line.length <= width ? line : code`{${onLines(fields)}}`;
  return path === undefined ? printed : from(path, printed);
}

function ruleFields({ pattern, replacement, utf8, slide }: BodyFilterRule): Code[] {
  const fields: [string, Code][] = [
    ["pattern", pattern],
    ["replacement", replacementCode(replacement, utf8)],
  ];
  if (utf8) fields.push(["utf8", new Code("true")]);
  if (slide !== null) fields.push(...slideFields(slide));
  return fields.map(([name, value]) => withName(new Code(name), value));
}

function slideFields({
  window,
  lookbehind,
  trailingRun,
  partial,
}: NonNullable<BodyFilterRule["slide"]>): [string, Code][] {
  const fields: [string, Code][] = [["window", literalCode(window)]];
  if (lookbehind > 0) fields.push(["lookbehind", literalCode(lookbehind)]);
  if (trailingRun !== null) fields.push(["trailingRun", trailingRun]);
  if (partial === null || partial === undefined) return fields;
  fields.push(["partial", partial.pattern]);
  if (partial.pad > window) fields.push(["pad", literalCode(partial.pad)]);
  return fields;
}

/**
 * Prints a replacement: a text, or with captures a list of texts and numbers. With option `u` the text is
 * decoded like the body.
 */
function replacementCode(replacement: readonly ReplacementPart[], utf8: boolean): Code {
  const parts = replacement.map((part) => {
    if ("capture" in part) return literalCode(part.capture);
    return literalCode(utf8 ? Buffer.from(part.literal, "latin1").toString() : part.literal);
  });
  if (replacement.some((part) => "capture" in part)) return code`[${joinCode(parts, ", ")}]`;
  return parts[0] ?? literalCode("");
}
