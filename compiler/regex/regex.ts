/** Exact, or a fault with its position. */
export type RegexTranslation =
  | {
      ok: true;
      source: string;
      /** Never "g", which callers add; "y" only with `scope: "global"` and an anchored pattern. */
      flags: string;
      utf8: boolean;
      /** Highest $n. */
      groups: number;
    }
  | {
      ok: false;
      /** Into the pattern, or the options if `in` is "options". */
      offset: number;
      in: "pattern" | "options";
      /** In the words of an operator: "missing closing parenthesis". */
      reason: string;
      /** Valid PCRE that JavaScript cannot express exactly; false: invalid PCRE. */
      untranslatable: boolean;
    };

/** Aspects that may be inexact because they are not used. Default: everything is exact. */
export interface TranslationOptions {
  /** Used captures, for example by `$1`. Default: all of them. */
  captures?: readonly number[];
  /** "global": each match is replaced, and option `a` requires adjacent matches. Default: "once". */
  scope?: "once" | "global";
}
