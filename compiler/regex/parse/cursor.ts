import type { RegexOptions } from "../options.js";
import type { RegexError } from "../regex-error.js";

/** Options that `(?i)` and similar items change inside a pattern. */
export interface Flags {
  caseless: boolean;
  multiline: boolean;
  dotAll: boolean;
  extended: boolean;
  /** `(?xx)`: spaces in classes are ignored too. */
  extendedMore: boolean;
  /** `(?n)` */
  noCapture: boolean;
  /** `(?U)` */
  ungreedy: boolean;
  /** `(?J)`, option `D` */
  duplicateNames: boolean;
}

/** Can only be checked once all groups are known. */
export interface Reference {
  at: number;
  group: number | string;
  /** Position at which PCRE2 notices that the group is missing. */
  order: number;
  /** Called once the number is known. */
  resolve(number: number): void;
}

/** Valid, without an exact translation; reported only if the rest of the pattern is valid. */
export interface Untranslatable {
  at: number;
  reason: string;
}

/** PCRE's units are bytes or code points. */
export class Cursor {
  readonly units: readonly number[];
  /** Index in the pattern's text, by unit, and of the end. */
  readonly sources: readonly number[];
  readonly utf: boolean;
  flags: Flags;
  position = 0;
  groupCount = 0;
  depth = 0;
  /** `keptInLook`: an open lookaround contained `\K`. */
  lookDepth = 0;
  keptInLook = false;
  hasLookbehind = false;
  /** With `(?|` PCRE2 knows no length of a backreference. */
  branchReset = false;
  /** PCRE2 finds them only after valid lookbehinds, in this order. */
  readonly lateFaults: { order: number; fault: RegexError }[] = [];
  readonly names = new Map<string, number[]>();
  readonly references: Reference[] = [];
  readonly untranslatable: Untranslatable[] = [];
  /** Between `\Q` and `\E`. */
  quoting = false;

  constructor(pattern: string, options: RegexOptions) {
    const { units, sources } = options.utf ? codePoints(pattern) : bytes(pattern);
    this.units = units;
    this.sources = sources;
    this.utf = options.utf;
    this.flags = {
      caseless: options.caseless,
      multiline: options.multiline,
      dotAll: options.dotAll,
      extended: options.extended,
      extendedMore: false,
      noCapture: false,
      ungreedy: false,
      duplicateNames: options.duplicateNames,
    };
  }

  get atEnd(): boolean {
    return this.position >= this.units.length;
  }

  /** The unit `ahead` of the current one; "" past the end. */
  peek(ahead = 0): string {
    const unit = this.units[this.position + ahead];
    return unit === undefined ? "" : String.fromCodePoint(unit);
  }

  take(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.position += text.length;
    return true;
  }

  startsWith(text: string): boolean {
    for (let i = 0; i < text.length; i++)
      if (this.units[this.position + i] !== text.charCodeAt(i)) return false;
    return true;
  }

  takeWhile(wanted: RegExp): string {
    let taken = "";
    while (!this.atEnd && wanted.test(this.peek())) {
      taken += this.peek();
      this.position++;
    }
    return taken;
  }

  refuse(reason: string, at: number): void {
    this.untranslatable.push({ at, reason });
  }
}

const encoder = new TextEncoder();

function bytes(pattern: string): { units: number[]; sources: number[] } {
  const units: number[] = [];
  const sources: number[] = [];
  let index = 0;
  for (const character of pattern) {
    // Nearly all are ASCII, and encoding each took 5 % of a build of routes with a pattern each.
    const code = character.charCodeAt(0);
    for (const byte of code < 0x80 ? [code] : encoder.encode(character)) {
      units.push(byte);
      sources.push(index);
    }
    index += character.length;
  }
  sources.push(index);
  return { units, sources };
}

function codePoints(pattern: string): { units: number[]; sources: number[] } {
  const units: number[] = [];
  const sources: number[] = [];
  let index = 0;
  for (const character of pattern) {
    units.push(character.codePointAt(0) ?? 0);
    sources.push(index);
    index += character.length;
  }
  sources.push(index);
  return { units, sources };
}
