import { invalid } from "../regex-error.js";
import type { Cursor } from "./cursor.js";

/** A character, or a letter for the caller to interpret (`d`, `b`, `k`...). */
export type Escape = { code: number } | { letter: string; at: number };

const CONTROL: Readonly<Record<string, number>> = { a: 7, e: 27, f: 12, n: 10, r: 13, t: 9 };

/** Their meaning depends on the context. */
const SPECIAL = "ABCDGHKNPQRSVWXZEbdghkpsvwz";

/**
 * The cursor is behind the backslash.
 * @param inClass between `[` and `]`, where `\1` is octal and `\g` a letter
 */
export function readEscape(cursor: Cursor, inClass: boolean): Escape {
  const at = cursor.position - 1;
  if (cursor.atEnd) throw invalid(101, cursor.position);
  const letter = cursor.peek();
  cursor.position++;
  if (!/^[A-Za-z0-9]$/.test(letter)) return { code: letter.codePointAt(0) ?? 0 };
  const control = CONTROL[letter];
  if (control !== undefined) return { code: control };
  if (/[0-9]/.test(letter)) return digitEscape(cursor, letter, inClass, at);
  if (letter === "x") return { code: hexEscape(cursor) };
  if (letter === "o") return { code: octalBraces(cursor) };
  if (letter === "c") return { code: controlCharacter(cursor) };
  if (letter === "N") return notNewline(cursor, inClass, at);
  if (letter === "g" && inClass) return { code: 0x67 };
  if (SPECIAL.includes(letter)) return { letter, at };
  if ("FlLuU".includes(letter)) throw invalid(137, cursor.position);
  throw invalid(103, at + 1);
}

function digitEscape(cursor: Cursor, first: string, inClass: boolean, at: number): Escape {
  if (!inClass && first !== "0") {
    const start = cursor.position;
    const number = Number(first + cursor.takeWhile(/[0-9]/));
    if (number < 10 || first >= "8" || number <= cursor.groupCount) {
      if (number > 65535) throw invalid(161, cursor.position);
      return { letter: `${number}`, at };
    }
    cursor.position = start;
  }
  if (first >= "8") return { code: first.charCodeAt(0) };
  let value = Number(first);
  for (let i = 0; i < 2 && /[0-7]/.test(cursor.peek()); i++) {
    value = value * 8 + Number(cursor.peek());
    cursor.position++;
  }
  if (!cursor.utf && value > 0xff) throw invalid(151, cursor.position);
  return { code: value };
}

function hexEscape(cursor: Cursor): number {
  if (cursor.take("{")) return bracedNumber(cursor, 16, /[0-9A-Fa-f]/, 167);
  let digits = "";
  while (digits.length < 2 && /[0-9A-Fa-f]/.test(cursor.peek())) {
    digits += cursor.peek();
    cursor.position++;
  }
  return Number.parseInt(`0${digits}`, 16);
}

function octalBraces(cursor: Cursor): number {
  if (!cursor.take("{")) throw invalid(155, cursor.atEnd ? cursor.position - 1 : cursor.position);
  return bracedNumber(cursor, 8, /[0-7]/, 164);
}

/** The cursor is behind `{`. */
function bracedNumber(cursor: Cursor, base: 8 | 16, digit: RegExp, wrongDigit: 164 | 167): number {
  if (cursor.atEnd || cursor.peek() === "}") throw invalid(178, cursor.position);
  let value = 0;
  while (!cursor.atEnd && digit.test(cursor.peek())) {
    value = value * base + Number.parseInt(cursor.peek(), base);
    cursor.position++;
    if (value > (cursor.utf ? 0x10ffff : 0xff)) {
      cursor.takeWhile(digit);
      throw invalid(134, cursor.position);
    }
  }
  if (!cursor.take("}")) throw invalid(wrongDigit, cursor.atEnd ? cursor.position - 1 : cursor.position);
  if (cursor.utf && value >= 0xd800 && value <= 0xdfff) throw invalid(173, cursor.position - 1);
  return value;
}

function controlCharacter(cursor: Cursor): number {
  if (cursor.atEnd) throw invalid(102, cursor.position);
  const code = cursor.units[cursor.position] ?? 0;
  if (code < 0x20 || code > 0x7e) throw invalid(168, cursor.position);
  cursor.position++;
  const upper = code >= 0x61 && code <= 0x7a ? code - 0x20 : code;
  return upper ^ 0x40;
}

/** `\N`, or `\N{U+41}` with option `u`; `\N{2,3}` is a quantified `\N`. */
function notNewline(cursor: Cursor, inClass: boolean, at: number): Escape {
  if (cursor.startsWith("{U+")) {
    if (!cursor.utf) throw invalid(193, cursor.position);
    cursor.position += 3;
    return { code: bracedNumber(cursor, 16, /[0-9A-Fa-f]/, 167) };
  }
  if (cursor.peek() === "{") {
    const start = cursor.position;
    let text = "";
    for (let i = 0; i < 16; i++) text += cursor.peek(i);
    if (inClass && /^\{\d+(,\d*)?\}/.test(text)) return { letter: "N", at };
    if (!/^\{\d+(,\d*)?\}/.test(text)) throw invalid(137, start);
  }
  return { letter: "N", at };
}
