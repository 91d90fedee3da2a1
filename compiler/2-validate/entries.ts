import type { Path } from "../model/source.js";

/**
 * Maximum items of a list and fields of an object: ten times those of the largest known configurations.
 * Compiling a list takes at least time in proportion to its length, and other writes wait for it.
 */
export const MAX_ENTRIES = 10_000;

export interface Extent {
  /** First list or object with too many entries; undefined if none has. */
  long: { path: Path; count: number } | undefined;
  /** Number of texts, numbers, lists, objects and other values, plus each `$` in a text or a name. */
  values: number;
}

export function extentOf(value: unknown): Extent {
  let values = 0;
  const open: { value: unknown; path: Path }[] = [{ value, path: [] }];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    values += 1;
    const { path } = one;
    if (typeof one.value === "string") values += dollars(one.value);
    if (typeof one.value !== "object" || one.value === null) continue;
    const isList = Array.isArray(one.value);
    const entries = Object.entries(one.value);
    if (entries.length > MAX_ENTRIES) return { long: { path, count: entries.length }, values };
    for (const [name, member] of entries.reverse()) {
      if (!isList) values += dollars(name);
      if (typeof member === "object")
        open.push({ value: member, path: [...path, isList ? Number(name) : name] });
      else values += 1 + (typeof member === "string" ? dollars(member) : 0);
    }
  }
  return { long: undefined, values };
}

function dollars(text: string): number {
  let count = 0;
  for (let at = text.indexOf("$"); at >= 0; at = text.indexOf("$", at + 1)) count += 1;
  return count;
}
