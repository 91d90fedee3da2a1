import { FORWARDING_HEADERS, isReservedHeader, onReservedHeader } from "../abi/reserved-header-names.js";
import { byLength, foldedName } from "../abi/text/header-edits.js";

const HYPHEN = 45;

/** Reports whether `text[start, end)` equals `lower`, which is lower-case, in any letter case. */
export function equalsIgnoreCase(text: string, start: number, end: number, lower: string): boolean {
  if (end - start !== lower.length) return false;
  for (let i = 0; i < lower.length; i++) {
    const code = text.charCodeAt(start + i);
    if ((code >= 65 && code <= 90 ? code + 32 : code) !== lower.charCodeAt(i)) return false;
  }
  return true;
}

/** Reports whether `text[start, end)` folds to a name: lower case, "-" for all but letters and digits. */
export function equalsFolded(text: string, start: number, end: number, folded: string): boolean {
  if (end - start !== folded.length) return false;
  for (let i = 0; i < folded.length; i++) {
    const code = text.charCodeAt(start + i);
    const lower = code >= 65 && code <= 90 ? code + 32 : code;
    const isAlphanumeric = (lower >= 97 && lower <= 122) || (lower >= 48 && lower <= 57);
    if ((isAlphanumeric ? lower : HYPHEN) !== folded.charCodeAt(i)) return false;
  }
  return true;
}

/** Set of lower-case names, by length: most header lines have a length that no name has. */
export class FieldNames {
  readonly #byLength: (string[] | undefined)[];

  constructor(names: readonly string[]) {
    this.#byLength = byLength(names, (name) => name);
  }

  /** Adds a lower-case name; callers add each name once. */
  add(name: string): void {
    // Without holes, as `byLength`.
    while (this.#byLength.length <= name.length) this.#byLength.push(undefined);
    (this.#byLength[name.length] ??= []).push(name);
  }

  find(text: string, start: number, end: number): string | undefined {
    const length = end - start;
    const names = length < this.#byLength.length ? this.#byLength[length] : undefined;
    if (names === undefined) return undefined;
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string;
      if (equalsIgnoreCase(text, start, end, name)) return name;
    }
    return undefined;
  }
}

/** Headers that the gateway interprets or writes; other spellings mean nothing here, but something to an upstream. */
const GUARDED: ReadonlySet<string> = new Set([
  ...FORWARDING_HEADERS,
  ...["content-length", "content-type", "transfer-encoding", "keep-alive", "proxy-connection"],
]);

/** Reports whether a name is an alias of a protected header, as `X_Consumer_Username` is of `X-Consumer-Username`. */
export const isProtectedAlias = (name: string): boolean => {
  const folded = foldedName(name);
  return folded !== name.toLowerCase() && (GUARDED.has(folded) || isReservedHeader(folded));
};

/** First two words of a name of three or more: "x-captcha-" of "x-captcha-result". */
const GROUP = /^[^-]+-[^-]+-/;
const groupOf = (name: string): string => GROUP.exec(name)?.[0] ?? name;
const groups = new Set<string>();
onReservedHeader((name) => groups.add(groupOf(name)));

/**
 * Reports whether a trailer is a header that a plugin reserves, or of its group: any recipient may discard
 * trailers (RFC 9110 section 6.5.1), and applications read families such as `X-Captcha-*`.
 * @param folded name, as `foldedName` returns it
 */
export const isReservedTrailer = (folded: string): boolean =>
  groups.has(folded) || groups.has(groupOf(folded));
