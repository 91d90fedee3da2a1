import { textFormats } from "./formats.js";

/** Validators made by ajv at run time get these functions as values; those of `build.mjs` import them by name. */
export { equalItems } from "./json-values.js";

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
