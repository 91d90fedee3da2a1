import { below } from "../model/config-path.js";
import type { ConfigPath, RecordField, RecordPart, Text } from "../model/plan.js";
import { Code, code, from } from "../plugin/code.js";
import { findVariable } from "../variables/variable.js";
import { WIDTH } from "./layout.js";
import { objectCode } from "./object.js";
import { literalCode, printProperty } from "./printers.js";
import type { ModuleScope } from "./scope.js";
import { bareVariable, plainText, shownText, shownVariable } from "./text.js";

/** Columns before and after the function: `  record: ` and a comma. */
const FIELD = 12;

/**
 * `(x, shown) => maker({ … })`: builds the object of a record, with no lookup except the variables that it
 * names.
 * @param maker undefined if the function returns the object itself
 * @param at setting that contains the fields
 */
export function recordCode(
  fields: readonly RecordField[],
  maker: Code | undefined,
  scope: ModuleScope,
  at: ConfigPath | undefined,
): Code {
  const texts = fields.flatMap(({ value }) => variablesOf(value));
  const exchange = texts.some(readsExchange) ? "x" : "_";
  const view = texts.some(readsView) ? `(${exchange}, shown)` : texts.length > 0 ? "(x)" : "()";
  const parameters = new Code(view);
  const object = fieldsCode(fields, scope, at);
  const body = maker === undefined ? code`(${object})` : code`${maker}(${object})`;
  const line = code`${parameters} => ${body}`;
  if (maker === undefined || (line.length + FIELD <= WIDTH && line.isOneLine)) return line;
  return code`${parameters} =>\n  ${body}`;
}

/** `(x) => text`; returns undefined if the text is one absent variable. */
export function textOfCode(text: Text, scope: ModuleScope): Code {
  const [only] = text;
  const reads = text.some((part) => !("literal" in part));
  const single = text.length === 1 && only !== undefined && "variable" in only ? only : undefined;
  const body =
    single === undefined ? plainText(text, scope) : bareVariable(single.variable, single.fallback, scope);
  return code`${new Code(reads ? "(x)" : "()")} => ${body}`;
}

function fieldsCode(fields: readonly RecordField[], scope: ModuleScope, at?: ConfigPath): Code {
  return objectCode(
    fields.map(({ name, value }) => {
      if (at === undefined) return [keyCode(name, scope), partCode(value, scope)];
      const own = below(at, [Buffer.from(name, "latin1").toString()]);
      return [keyCode(name, scope), from(own, partCode(value, scope, own))];
    }),
  );
}

function keyCode(name: string, scope: ModuleScope): Code {
  return /^[\0-\x7f]*$/.test(name)
    ? new Code(printProperty(name))
    : code`[${scope.bytes(name, "recordKey")}]`;
}

function partCode(part: RecordPart, scope: ModuleScope, at?: ConfigPath): Code {
  if ("fields" in part) return fieldsCode(part.fields, scope, at);
  if ("text" in part) return shownText(part.text, scope);
  if ("literal" in part)
    return typeof part.literal === "string" ? scope.bytes(part.literal) : literalCode(part.literal);
  if (!("otherwise" in part)) return shownVariable(part.variable, part.fallback, scope);
  return code`${shownVariable(part.variable, undefined, scope)} ?? ${partCode(part.otherwise, scope)}`;
}

/** Names of the variables that a part reads. */
function variablesOf(part: RecordPart): string[] {
  if ("fields" in part) return part.fields.flatMap(({ value }) => variablesOf(value));
  if ("text" in part) return part.text.flatMap((piece) => ("variable" in piece ? [piece.variable] : []));
  if (!("variable" in part)) return [];
  return [part.variable, ...("otherwise" in part ? variablesOf(part.otherwise) : [])];
}

/** Reports whether a variable is a body or may need masking. */
function readsView(name: string): boolean {
  const { body, masked } = findVariable(name)?.variable ?? {};
  return body !== undefined || masked !== undefined;
}

/** Reports whether a variable reads the exchange, as all but plain bodies do. */
function readsExchange(name: string): boolean {
  const code = findVariable(name)?.variable.code ?? "";
  return code.startsWith("x.");
}
