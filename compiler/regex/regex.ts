/** PCRE pattern and options as the operator wrote them, translated exactly or refused with a position. */
export type RegexTranslation =
  | {
      ok: true;
      source: string;
      /** Never "g": who replaces all matches adds it. "y" only with `scope: "global"` and an anchored pattern. */
      flags: string;
      utf8: boolean;
      /** Number of capture groups (highest $n). */
      groups: number;
    }
  | {
      ok: false;
      /** Zero-based index into the pattern (or the options, when `in` is "options"). */
      offset: number;
      in: "pattern" | "options";
      /** Why, in the words of an operator: "missing closing parenthesis". */
      reason: string;
      /** True: valid PCRE that JavaScript cannot express exactly; false: invalid PCRE. */
      untranslatable: boolean;
    };

/** What a translation may leave inexact because nobody looks at it. Without it everything must be exact. */
export interface TranslationOptions {
  /** Captures that somebody reads, for example by `$1`; default: all of them. */
  captures?: readonly number[];
  /** "global": each match is replaced, and option `a` asks for matches that follow each other. Default "once". */
  scope?: "once" | "global";
}

/** A replacement text: literals and captures; `$0` is capture 0. */
export type ReplacementPart = { literal: string } | { capture: number };
