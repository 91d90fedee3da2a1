import { textFormats } from "./formats.js";

/**
 * Functions that validators call: those made by ajv while gwc runs get them as values, those compiled by `build.mjs` import them from
 * here, by these names.
 */
export { equalItems } from "./json-values.js";

interface StringFormat {
  type: "string";
  validate: (text: string) => boolean;
}

/** Formats by name, as ajv takes them. A function, as plugins register theirs after this module is loaded. */
export function formats(): Readonly<Record<string, StringFormat>> {
  return Object.fromEntries(
    textFormats().map(([name, format]): [string, StringFormat] => [
      name,
      { type: "string", validate: (text) => format.fault(text) === undefined },
    ]),
  );
}

/** Length of a text in code points: `ucs2length` of ajv, which a built validator would have to require ajv for. */
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
