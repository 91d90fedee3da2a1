import { type CharSet, type Range, setOf } from "./charset.js";

/*
 * PCRE2's classes in the C locale: pcre2pattern(3), "Generic character types" and "POSIX character classes".
 * The live test compares each of them with pcre2test over all 256 bytes.
 */

const DIGIT: Range[] = [[0x30, 0x39]];
const UPPER: Range[] = [[0x41, 0x5a]];
const LOWER: Range[] = [[0x61, 0x7a]];
const UNDERSCORE: Range[] = [[0x5f, 0x5f]];
const ALPHA = [...UPPER, ...LOWER];
const PUNCT: Range[] = [
  [0x21, 0x2f],
  [0x3a, 0x40],
  [0x5b, 0x60],
  [0x7b, 0x7e],
];

/** `\s`: includes the vertical tab since PCRE 8.34; A0 is not in it, unlike in JavaScript. */
const SPACE: Range[] = [
  [0x09, 0x0d],
  [0x20, 0x20],
];
const HORIZONTAL: Range[] = [
  [0x09, 0x09],
  [0x20, 0x20],
  [0xa0, 0xa0],
];
const HORIZONTAL_WIDE: Range[] = [
  [0x1680, 0x1680],
  [0x180e, 0x180e],
  [0x2000, 0x200a],
  [0x202f, 0x202f],
  [0x205f, 0x205f],
  [0x3000, 0x3000],
];
const VERTICAL: Range[] = [
  [0x0a, 0x0d],
  [0x85, 0x85],
];
const VERTICAL_WIDE: Range[] = [[0x2028, 0x2029]];

/** @param letter of `\d \w \s \h \v`, lower case */
export function escapeClass(letter: string, utf: boolean): CharSet | undefined {
  switch (letter) {
    case "d":
      return setOf(DIGIT);
    case "w":
      return setOf([...ALPHA, ...DIGIT, ...UNDERSCORE]);
    case "s":
      return setOf(SPACE);
    case "h":
      return setOf(utf ? [...HORIZONTAL, ...HORIZONTAL_WIDE] : HORIZONTAL);
    case "v":
      return setOf(utf ? [...VERTICAL, ...VERTICAL_WIDE] : VERTICAL);
    default:
      return undefined;
  }
}

const POSIX: Readonly<Record<string, readonly Range[]>> = {
  alpha: ALPHA,
  lower: LOWER,
  upper: UPPER,
  alnum: [...ALPHA, ...DIGIT],
  ascii: [[0, 0x7f]],
  blank: [
    [0x09, 0x09],
    [0x20, 0x20],
  ],
  cntrl: [
    [0, 0x1f],
    [0x7f, 0x7f],
  ],
  digit: DIGIT,
  graph: [[0x21, 0x7e]],
  print: [[0x20, 0x7e]],
  punct: PUNCT,
  space: SPACE,
  word: [...ALPHA, ...DIGIT, ...UNDERSCORE],
  xdigit: [...DIGIT, [0x41, 0x46], [0x61, 0x66]],
};

/** With option `i`, upper and lower mean alpha. */
export function posixClass(name: string, caseless: boolean): CharSet | undefined {
  const key = caseless && (name === "upper" || name === "lower") ? "alpha" : name;
  const ranges = Object.hasOwn(POSIX, key) ? POSIX[key] : undefined;
  return ranges === undefined ? undefined : setOf(ranges);
}

export const LINE_FEED = 0x0a;
