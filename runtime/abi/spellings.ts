import { utf8 } from "./text/bytes.js";

/** Minimum length of a text to look for: any word may contain the letters of a shorter one. */
export const SHORTEST_SOUGHT = 4;
/** Minimum length of a text in base64: fewer characters may mean anything. */
const SHORTEST_BASE64 = 8;
/** Maximum passes over nested escapes; `%` and `\u005c` may begin another one. */
const PASSES = 4;
/** End of a text that a printer has cut. */
const CUT = "…";

export type Match = readonly [start: number, end: number];

/**
 * Finds texts in any spelling: escaped for JSON, TypeScript or a pattern, once or again; percent-encoded
 * completely or in part; UTF-8 as byte string; in lower case; without blanks around; in base64 among other
 * bytes; cut with "…" behind. Both sides are converted to one form in which these are equal. Some different
 * texts are then equal too (a line break and an "n"), so it finds rather too much.
 */
export class Spellings {
  readonly #byBegin = new Map<string, string[]>();
  readonly #begins = new Set<number>();

  constructor(texts: Iterable<string>) {
    const all = new Set([...texts].flatMap(formsOf));
    for (const form of all) {
      const begin = form.slice(0, SHORTEST_SOUGHT);
      this.#begins.add(begin.charCodeAt(0));
      const known = this.#byBegin.get(begin);
      if (known) known.push(form);
      else this.#byBegin.set(begin, [form]);
    }
    // The longest first, because one may begin with another.
    for (const forms of this.#byBegin.values()) forms.sort((a, b) => b.length - a.length);
  }

  /** @param isSpared reports whether a match stays @param isCut as in `places` */
  without(
    source: string,
    mask: string,
    isSpared: (place: Match) => boolean = () => false,
    isCut = true,
  ): string {
    let [out, at] = ["", 0];
    for (const place of this.places(source, isCut)) {
      if (isSpared(place)) continue;
      const [start, end] = place;
      out += source.slice(at, start) + mask;
      at = end;
    }
    return out + source.slice(at);
  }

  /**
   * Returns ascending matches without overlaps.
   * @param isCut false if the source was not cut. Input of a client must match completely: a client that
   * writes "…" behind guessed letters would learn from the mask whether a secret begins with them
   */
  places(source: string, isCut = true): Match[] {
    const found: [number, number][] = [];
    if (this.#byBegin.size === 0) return found;
    const { text, starts } = plainOf(source);
    let cut = isCut ? 0 : -1;
    for (let at = 0; at + SHORTEST_SOUGHT <= text.length; at += 1) {
      if (!this.#begins.has(text.charCodeAt(at))) continue;
      const forms = this.#byBegin.get(text.slice(at, at + SHORTEST_SOUGHT));
      if (forms === undefined) continue;
      if (cut >= 0 && cut < at + SHORTEST_SOUGHT) cut = text.indexOf(CUT, at + SHORTEST_SOUGHT);
      const length = matching(text, at, cut, forms);
      if (length === 0) continue;
      const place: [number, number] = [starts?.[at] ?? at, starts?.[at + length] ?? at + length];
      const last = found[found.length - 1];
      if (last !== undefined && place[0] < last[1]) last[1] = Math.max(last[1], place[1]);
      else found.push(place);
    }
    return found;
  }
}

/** Length of the longest form that begins here, or 0. @param cut offset of the mark of a cut, or -1 */
function matching(text: string, at: number, cut: number, forms: readonly string[]): number {
  const whole = forms.find((form) => text.startsWith(form, at));
  if (whole !== undefined) return whole.length;
  if (cut < 0) return 0;
  const begun = forms.some((form) => cut - at < form.length && text.startsWith(form.slice(0, cut - at), at));
  return begun ? cut - at : 0;
}

function formsOf(text: string): string[] {
  return [...plainForms(text), ...[0, 1, 2].flatMap((before) => base64Of(text, before))];
}

function plainForms(text: string): string[] {
  const spelled = [text, text.trim(), text.toLowerCase()];
  const forms = [...spelled, ...spelled.map(utf8)].map(plainTextOf);
  return forms.filter((form) => form.length >= SHORTEST_SOUGHT);
}

/**
 * Returns the texts that may begin in a source, except in base64, and few others. Searching 3 MB for the
 * beginnings of 20,000 texts one by one takes 4 to 8 s, this 0.1 s.
 */
export function candidatesIn(texts: readonly string[], sources: readonly string[]): string[] {
  const met = new Uint8Array(BEGINNINGS);
  for (const source of sources) {
    const text = plainTextOf(source);
    for (let at = 0; at + SHORTEST_SOUGHT <= text.length; at += 1) met[beginning(text, at)] = 1;
  }
  return texts.filter((text) => plainForms(text).some((form) => met[beginning(form, 0)] === 1));
}

const BEGINNINGS = 1 << 16;

/** Hashes the first `SHORTEST_SOUGHT` characters. */
function beginning(text: string, from: number): number {
  let number = 0;
  for (let at = from; at < from + SHORTEST_SOUGHT; at += 1)
    number = Math.imul(number, 31) + text.charCodeAt(at);
  return number & (BEGINNINGS - 1);
}

/** Base64 characters that depend only on the text, if `before` other bytes precede it in its group of three. */
function base64Of(text: string, before: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(text, "utf8")]);
  const last = Math.floor((bytes.length * 8) / 6);
  const whole = bytes.toString("base64").slice([0, 2, 3][before], last);
  if (whole.length < SHORTEST_BASE64) return [];
  const urlSafe = whole.replaceAll("+", "-").replaceAll("/", "_");
  return [...new Set([whole, urlSafe])].map(plainTextOf);
}

interface Plain {
  text: string;
  /** Offset of each character in the source, and the end of all; undefined: equal to the index. */
  starts: readonly number[] | undefined;
}

const ESCAPED = /[\\%+\n\r\t\b\f\v]/;
/** Letters of escapes: a line break is `\n`, and so "n" without its backslash. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ "\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", "\v": "v", "+": " " },
};
/** A backslash belongs to the character behind it, even if that is an escape itself. */
const ESCAPE =
  /%([0-9A-Fa-f]{2})|\\+(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,5})\}|x([0-9A-Fa-f]{2}))?|[+\n\r\t\b\f\v]/g;

/** Removes escapes: a text and its escaped forms become equal. */
function plainOf(source: string): Plain {
  let plain: Plain = { text: source, starts: undefined };
  for (let pass = 0; pass < PASSES && ESCAPED.test(plain.text); pass += 1) {
    const before = plain.text;
    plain = unescaped(plain);
    if (plain.text === before) break;
  }
  return plain;
}

/** Removes escapes without offsets, which take most of the time. */
function plainTextOf(source: string): string {
  let text = source;
  for (let pass = 0; pass < PASSES && ESCAPED.test(text); pass += 1) {
    const before = text;
    text = before.replace(ESCAPE, meant);
    if (text === before) break;
  }
  return text;
}

function meant(escaped: string, ...digits: unknown[]): string {
  const hex = digits.slice(0, 4).find((group) => group !== undefined);
  if (typeof hex === "string") return String.fromCodePoint(Number.parseInt(hex, 16));
  return NAMED[escaped] ?? "";
}

function unescaped({ text, starts }: Plain): Plain {
  const from: number[] = [];
  let out = "";
  let at = 0;
  /** Start of the next character: backslashes belong to the character behind them. */
  let start = 0;
  const add = (units: string) => {
    for (let i = 0; i < units.length; i += 1) from.push(starts?.[start] ?? start);
    out += units;
  };
  const copyTo = (end: number) => {
    for (; at < end; start = at) {
      add(text[at] as string);
      at += 1;
    }
  };
  for (const match of text.matchAll(ESCAPE)) {
    const [escaped, ...digits] = match;
    copyTo(match.index);
    const units = meant(escaped, ...digits);
    add(units);
    at += escaped.length;
    if (units !== "") start = at;
  }
  copyTo(text.length);
  from.push(starts?.[start] ?? start);
  return { text: out, starts: from };
}
