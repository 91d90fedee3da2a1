import type { Path } from "../parse/source.js";

/**
 * Most items of a list and fields of an object in a resource. Ten times what the largest known configurations have; what is
 * compiled of a list takes at least its length, for every write that waits.
 */
export const MAX_ENTRIES = 10_000;

/** Size of a value besides its characters. */
export interface Extent {
  /** The first list or object that has too many entries; undefined where each is short enough. */
  long: { path: Path; count: number } | undefined;
  /** Texts, numbers, lists, objects and the like, each as one, and each `$` in a text or a name. */
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
