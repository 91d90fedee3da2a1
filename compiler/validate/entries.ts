import type { Path } from "../parse/source.js";

/**
 * Most items of a list and fields of an object in a resource. Ten times what the largest known configurations have; what is
 * compiled of a list takes at least its length, for every write that waits.
 */
export const MAX_ENTRIES = 10_000;

/** The first list or object of a value that has too many entries; undefined where each is short enough. */
export function tooManyEntries(value: unknown): { path: Path; count: number } | undefined {
  const open: { value: unknown; path: Path }[] = [{ value, path: [] }];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const { path } = one;
    if (typeof one.value !== "object" || one.value === null) continue;
    const isList = Array.isArray(one.value);
    const entries = Object.entries(one.value);
    if (entries.length > MAX_ENTRIES) return { path, count: entries.length };
    for (const [name, member] of entries.reverse())
      if (typeof member === "object")
        open.push({ value: member, path: [...path, isList ? Number(name) : name] });
  }
  return undefined;
}
