import { isObject } from "../../runtime/abi/json-object.js";
import { textFormats } from "./formats.js";

// Validators made by ajv at run time get these functions as values; those of `build.mjs` import them by name.

interface StringFormat {
  type: "string";
  validate: (text: string) => boolean;
}

/** A function, since plugins register formats after this module is loaded. */
export function formats(): Readonly<Record<string, StringFormat>> {
  return Object.fromEntries(
    textFormats().map(([name, format]): [string, StringFormat] => [
      name,
      { type: "string", validate: (text) => format.fault(text) === undefined },
    ]),
  );
}

/** Counts code points, like `ucs2length` of ajv, for which a built validator would require ajv. */
export function codePoints(text: string): number {
  let length = text.length;
  for (let at = 0; at < text.length - 1; at++)
    if (isSurrogate(text, at, 0xd800) && isSurrogate(text, at + 1, 0xdc00)) {
      length -= 1;
      at += 1;
    }
  return length;
}

/** @param first 0xd800 for the first half of a pair, 0xdc00 for the second */
const isSurrogate = (text: string, at: number, first: number): boolean =>
  (text.charCodeAt(at) & 0xfc00) === first;

/** Takes one pass; without a scalar type, ajv compares all pairs (20,000 paths of a route took 2.9 s). */
export function equalItems(list: readonly unknown[]): [number, number] | undefined {
  const places = new Map<string, number>();
  for (const [second, item] of list.entries()) {
    const text = canonical(item);
    const first = places.get(text);
    if (first !== undefined) return [first, second];
    places.set(text, second);
  }
  return undefined;
}

/** Text that is equal for equal values, whatever the order of their fields. */
const canonical = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    isObject(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  );
