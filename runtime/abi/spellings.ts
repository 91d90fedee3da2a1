import { utf8 } from "./text/bytes.js";

/** From when on a text is sought inside of others: the letters of a shorter one are those of any word. */
export const SHORTEST_SOUGHT = 4;
/** Of a text in base64: what fewer characters say may be anything. */
const SHORTEST_BASE64 = 8;
/** Escapes of escapes that are looked through; `%` and `\u005c` may stand for the begin of one. */
const PASSES = 4;
/** What a printer puts where it has cut a text. */
const CUT = "…";

/** Where a text stands: offsets. */
export type Place = readonly [start: number, end: number];

/**
 * Finds texts in whatever way they are written: escaped for JSON, TypeScript or a pattern, once or again; percent-encoded, all of it or in
 * part; UTF-8 as byte string; in lower case; without blanks around; in base64 beside other bytes; cut with "…" behind.
 * Text and what is sought are brought to one form in which these are equal. It tells some texts not apart (a line break and an "n"), so it finds
 * rather too much.
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
    // The longest first, since one may begin with another.
    for (const forms of this.#byBegin.values()) forms.sort((a, b) => b.length - a.length);
  }

  /**
   * The text with a mask in each of their places.
   * @param isSpared a place that stays as it is
   * @param isCut as in `places`
   */
  without(
    source: string,
    mask: string,
    isSpared: (place: Place) => boolean = () => false,
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
   * Ascending and apart.
   * @param isCut false: nobody has cut the source. What somebody sends must be sought whole: who writes "…" behind guessed letters would
   * learn from the mask whether a secret begins with them
   */
  places(source: string, isCut = true): Place[] {
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

/** Characters of the longest form that begins here; 0: none does. @param cut where the text is cut behind it, or -1 */
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

/** But for base64. */
function plainForms(text: string): string[] {
  const spelled = [text, text.trim(), text.toLowerCase()];
  const forms = [...spelled, ...spelled.map(utf8)].map(plainTextOf);
  return forms.filter((form) => form.length >= SHORTEST_SOUGHT);
}

/**
 * Returns the texts that may begin in one of the sources in a spelling other than base64, and few others: to search 3 MB for the
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

/** A number for the first `SHORTEST_SOUGHT` characters from a place on. */
function beginning(text: string, from: number): number {
  let number = 0;
  for (let at = from; at < from + SHORTEST_SOUGHT; at += 1)
    number = Math.imul(number, 31) + text.charCodeAt(at);
  return number & (BEGINNINGS - 1);
}

/** The characters that a text alone decides, where `before` other bytes stand before it in its group of three. */
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
  /** Where each character begins in the source, and the end of all; undefined: where it stands. */
  starts: readonly number[] | undefined;
}

const ESCAPED = /[\\%+\n\r\t\b\f\v]/;
/** As escapes name them: a line break is `\n`, and so "n" without its backslash. */
const NAMED: Readonly<Record<string, string>> = {
  ...{ "\n": "n", "\r": "r", "\t": "t", "\b": "b", "\f": "f", "\v": "v", "+": " " },
};
/** A backslash belongs to the character behind it, whether that is an escape itself or not. */
const ESCAPE =
  /%([0-9A-Fa-f]{2})|\\+(?:u([0-9A-Fa-f]{4})|u\{([0-9A-Fa-f]{1,5})\}|x([0-9A-Fa-f]{2}))?|[+\n\r\t\b\f\v]/g;

/** Without what escapes: a text and its escaped forms become the same. */
function plainOf(source: string): Plain {
  let plain: Plain = { text: source, starts: undefined };
  for (let pass = 0; pass < PASSES && ESCAPED.test(plain.text); pass += 1) {
    const before = plain.text;
    plain = unescaped(plain);
    if (plain.text === before) break;
  }
  return plain;
}

/** The same without the places, which take most of the time. */
function plainTextOf(source: string): string {
  let text = source;
  for (let pass = 0; pass < PASSES && ESCAPED.test(text); pass += 1) {
    const before = text;
    text = before.replace(ESCAPE, meant);
    if (text === before) break;
  }
  return text;
}

/** Text that an escape stands for; backslashes alone stand for none. */
function meant(escaped: string, ...digits: unknown[]): string {
  const hex = digits.slice(0, 4).find((group) => group !== undefined);
  if (typeof hex === "string") return String.fromCodePoint(Number.parseInt(hex, 16));
  return NAMED[escaped] ?? "";
}

function unescaped({ text, starts }: Plain): Plain {
  const from: number[] = [];
  let out = "";
  let at = 0;
  /** Where what comes next begins: backslashes belong to what they stand before. */
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
