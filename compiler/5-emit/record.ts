import { below } from "../model/config-path.js";
import type { ConfigPath, Text } from "../model/plan.js";
import type { RecordField, RecordPart } from "../model/record-plan.js";
import { findVariable } from "../variables/variable.js";
import { indented, WIDTH } from "./layout.js";
import { objectCode } from "./object.js";
import { printLiteral, printProperty } from "./printers.js";
import type { ModuleScope } from "./scope.js";
import { columnsOf } from "./tag.js";
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
  maker: string | undefined,
  scope: ModuleScope,
  at: ConfigPath | undefined,
): string {
  const texts = fields.flatMap(({ value }) => variablesOf(value));
  const exchange = texts.some(readsExchange) ? "x" : "_";
  const parameters = texts.some(readsView) ? `(${exchange}, shown)` : texts.length > 0 ? "(x)" : "()";
  const object = fieldsCode(fields, scope, at);
  const body = maker === undefined ? `(${object})` : `${maker}(${object})`;
  const line = `${parameters} => ${body}`;
  if (columnsOf(line) + FIELD <= WIDTH && !line.includes("\n")) return line;
  return maker === undefined ? line : `${parameters} =>\n${indented(body, "  ")}`;
}

/** `(x) => text`; returns undefined if the text is one absent variable. */
export function textOfCode(text: Text, scope: ModuleScope): string {
  const [only] = text;
  const reads = text.some((part) => !("literal" in part));
  const single = text.length === 1 && only !== undefined && "variable" in only ? only : undefined;
  const body =
    single === undefined ? plainText(text, scope) : bareVariable(single.variable, single.fallback, scope);
  return `${reads ? "(x)" : "()"} => ${body}`;
}

function fieldsCode(fields: readonly RecordField[], scope: ModuleScope, at?: ConfigPath): string {
  return objectCode(
    fields.map(({ name, value }) => {
      if (at === undefined) return [keyCode(name, scope), partCode(value, scope)];
      const own = below(at, [Buffer.from(name, "latin1").toString()]);
      return [scope.from(own, keyCode(name, scope)), partCode(value, scope, own)];
    }),
  );
}

function keyCode(name: string, scope: ModuleScope): string {
  if (/^[\0-\x7f]*$/.test(name)) return printProperty(name);
  return `[${scope.bytes(name).text}]`;
}

function partCode(part: RecordPart, scope: ModuleScope, at?: ConfigPath): string {
  if ("fields" in part) return fieldsCode(part.fields, scope, at);
  if ("text" in part) return shownText(part.text, scope);
  if ("literal" in part)
    return typeof part.literal === "string" ? scope.bytes(part.literal).text : printLiteral(part.literal);
  if (!("otherwise" in part)) return shownVariable(part.variable, part.fallback, scope);
  return `${shownVariable(part.variable, undefined, scope)} ?? ${partCode(part.otherwise, scope)}`;
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
