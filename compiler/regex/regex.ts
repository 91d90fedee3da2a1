/** Result of translating a configured PCRE pattern with options: exact, or a fault with its position. */
export type RegexTranslation =
  | {
      ok: true;
      source: string;
      /**
       * Never "g", which callers add to replace all matches. "y" only with `scope: "global"` and an anchored
       * pattern.
       */
      flags: string;
      utf8: boolean;
      /** Number of capture groups (highest $n). */
      groups: number;
    }
  | {
      ok: false;
      /** Zero-based index into the pattern (or the options, if `in` is "options"). */
      offset: number;
      in: "pattern" | "options";
      /** Reason in the words of an operator: "missing closing parenthesis". */
      reason: string;
      /** True: valid PCRE that JavaScript cannot express exactly; false: invalid PCRE. */
      untranslatable: boolean;
    };

/**
 * Aspects that a translation may leave inexact because they are not used. Default: everything must be exact.
 */
export interface TranslationOptions {
  /** Captures that are used, for example by `$1`. Default: all of them. */
  captures?: readonly number[];
  /** "global": each match is replaced, and option `a` requires adjacent matches. Default: "once". */
  scope?: "once" | "global";
}
