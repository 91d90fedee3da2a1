import type { Json } from "../model/record-plan.js";
import { indented } from "./layout.js";
import { printLiteral, printProperty } from "./printers.js";
import { columnsOf, leadingTags } from "./tag.js";

/** Tags members of plain data with the config paths of their settings. */
export interface Tagging {
  member(name: string): Tagging;
  item(index: number): Tagging;
  /** Returns the code with its tags. */
  tagged(code: string): string;
}

/** Maximum columns of an object on one line, which leaves room for indentation and a name. */
const ONE_LINE = 92;

/**
 * Object literal: on one line if it is short, otherwise each field on a line. Names are already printed; tags
 * in front of a value move in front of its name.
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

/** Prints plain data as a literal. @param from config paths for its members */
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

/** List literal: on one line if it is short, otherwise each item on a line. Items are already printed. */
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
