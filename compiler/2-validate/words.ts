import { isObject } from "../../runtime/abi/json-object.js";
import type { Path } from "../model/source.js";

const TYPES: Readonly<Record<string, string>> = {
  string: "text",
  integer: "a whole number",
  number: "a number",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "nothing",
};

/** Returns "text, a number or a list". */
export function typeWords(types: Iterable<string>): string {
  return either([...new Set([...types].map((type) => TYPES[type] ?? type))]);
}

/** Returns "a", "a or b" or "a, b or c". */
export function either(words: readonly string[]): string {
  return words.length < 2
    ? (words[0] ?? "")
    : `${words.slice(0, -1).join(", ")} or ${words[words.length - 1]}`;
}

/** Never repeats the text of a secret. */
export function foundWords(value: unknown, secret: boolean): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (isObject(value)) return "an object";
  if (secret) return typeof value === "string" ? "text" : `a ${typeof value}`;
  if (typeof value === "string") return `the text ${quoted(value)}`;
  return typeof value === "number" ? `the number ${value}` : String(value);
}

const LONGEST = 60;

/** Quotes texts, escapes control characters, cuts long ones. */
export function quoted(value: unknown): string {
  const text = JSON.stringify(value) ?? "";
  return text.length > LONGEST ? `${text.slice(0, 56)}…${text.slice(-1)}` : text;
}

/** Returns `"status_code"`, `item 2 of "uris"`, "the route" at the root. */
export function label(path: Path, root: string): string {
  const last = path.at(-1);
  if (last === undefined) return `the ${root}`;
  if (typeof last === "number") return `item ${last + 1} of ${label(path.slice(0, -1), root)}`;
  return last.length > LONGEST ? quoted(last) : `"${last}"`;
}
