import type { Json } from "../log/plan.js";
import { indented } from "./layout.js";
import { printLiteral, printProperty } from "./printers.js";
import { columnsOf, leadingTags } from "./tag.js";

/** Puts the addresses of settings in front of members of plain data. */
export interface Tagging {
  member(name: string): Tagging;
  item(index: number): Tagging;
  /** The code with its addresses. */
  tagged(code: string): string;
}

/** Columns of an object on one line, so that it fits under a few levels of indentation and a name. */
const ONE_LINE = 92;

/**
 * An object literal: on one line where that is short, else a field a line. Names are printed already; the address that a value begins
 * with is that of its name too.
 */
export function objectCode(
  fields: readonly (readonly [name: string, value: string])[],
  width = ONE_LINE,
): string {
  if (fields.length === 0) return "{}";
  const inside = fields.map(([name, value]) => {
    const tags = leadingTags(value);
    return `${tags}${name}: ${value.slice(tags.length)}`;
  });
  const line = `{ ${inside.join(", ")} }`;
  if (columnsOf(line) <= width && !line.includes("\n")) return line;
  return `{\n${inside.map((field) => indented(`${field},`, "  ")).join("\n")}\n}`;
}

/** Plain data as a literal. @param from settings that its members have the addresses of */
export function dataCode(value: Json, from?: Tagging): string {
  if (value === null || typeof value !== "object") return value === null ? "null" : printLiteral(value);
  if (!isList(value))
    return objectCode(
      Object.entries(value).map(([name, member]) => [
        printProperty(name),
        taggedData(member, from?.member(name)),
      ]),
    );
  return listCode(value.map((item, i) => taggedData(item, from?.item(i))));
}

/** A list literal: on one line where that is short, else an item a line. Items are printed already. */
export function listCode(items: readonly string[]): string {
  const line = `[${items.join(", ")}]`;
  if (columnsOf(line) <= ONE_LINE && !line.includes("\n")) return line;
  return `[\n${items.map((item) => indented(`${item},`, "  ")).join("\n")}\n]`;
}

function taggedData(value: Json, from: Tagging | undefined): string {
  const code = dataCode(value, from);
  return from === undefined ? code : from.tagged(code);
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
