import type { Json } from "../model/plan.js";
import { Code, code, joinCode } from "../plugin/code.js";
import { onLines } from "./layout.js";
import { printLiteral, printProperty } from "./printers.js";

/** Adds the config paths of settings to members of plain data. */
export interface Tagging {
  member(name: string): Tagging;
  item(index: number): Tagging;
  /** Returns the code with its config paths. */
  tagged(code: Code): Code;
}

/** Maximum columns of an object on one line, which leaves room for indentation and a name. */
const ONE_LINE = 92;

/** Object literal: on one line if it is short, otherwise each field on a line. Names are already printed. */
export function objectCode(fields: readonly (readonly [name: Code, value: Code])[], width = ONE_LINE): Code {
  if (fields.length === 0) return new Code("{}");
  const inside = fields.map(([name, value]) => withName(name, value));
  const line = code`{ ${joinCode(inside, ", ")} }`;
  return line.length <= width && line.isOneLine ? line : code`{${onLines(inside)}}`;
}

/** `name: value`; it comes from the settings that the value comes from. */
export function withName(name: Code, value: Code): Code {
  const [only] = value.parts;
  if (value.path === undefined || !(only instanceof Code)) return code`${name}: ${value}`;
  return new Code(withName(name, only), undefined, value.path);
}

/** Prints plain data as a literal. @param from config paths for its members */
export function dataCode(value: Json, from?: Tagging): Code {
  if (value === null || typeof value !== "object")
    return new Code(value === null ? "null" : printLiteral(value));
  if (!isList(value))
    return objectCode(
      Object.entries(value).map(([name, member]) => [
        new Code(printProperty(name)),
        taggedData(member, from?.member(name)),
      ]),
    );
  return listCode(value.map((item, i) => taggedData(item, from?.item(i))));
}

/** List literal: on one line if it is short, otherwise each item on a line. Items are already printed. */
export function listCode(items: readonly Code[]): Code {
  const line = code`[${joinCode(items, ", ")}]`;
  return line.length <= ONE_LINE && line.isOneLine ? line : code`[${onLines(items)}]`;
}

function taggedData(value: Json, from: Tagging | undefined): Code {
  const data = dataCode(value, from);
  return from === undefined ? data : from.tagged(data);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
