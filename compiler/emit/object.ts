import type { Json } from "../log/plan.js";
import { indented } from "./layout.js";
import { printLiteral, printProperty } from "./printers.js";
import { columnsOf } from "./tag.js";

/** Columns of an object on one line, so that it fits under a few levels of indentation and a name. */
const ONE_LINE = 92;

/** An object literal: on one line where that is short, else a field a line. Names are printed already. */
export function objectCode(
  fields: readonly (readonly [name: string, value: string])[],
  width = ONE_LINE,
): string {
  if (fields.length === 0) return "{}";
  const inside = fields.map(([name, value]) => `${name}: ${value}`);
  const line = `{ ${inside.join(", ")} }`;
  if (columnsOf(line) <= width && !line.includes("\n")) return line;
  return `{\n${inside.map((field) => indented(`${field},`, "  ")).join("\n")}\n}`;
}

/** Plain data as a literal. */
export function dataCode(value: Json): string {
  if (value === null || typeof value !== "object") return value === null ? "null" : printLiteral(value);
  if (!isList(value))
    return objectCode(Object.entries(value).map(([name, member]) => [printProperty(name), dataCode(member)]));
  const items = value.map(dataCode);
  const line = `[${items.join(", ")}]`;
  if (line.length <= ONE_LINE && !line.includes("\n")) return line;
  return `[\n${items.map((item) => indented(`${item},`, "  ")).join("\n")}\n]`;
}

function isList(value: Json): value is readonly Json[] {
  return Array.isArray(value);
}
