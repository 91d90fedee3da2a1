/** PCRE pattern and options as the operator wrote them, translated exactly or refused with a position. */
export type RegexTranslation =
  | {
      ok: true;
      source: string;
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

/** A replacement text: literals and captures; `$0` is capture 0. */
export type ReplacementPart = { literal: string } | { capture: number };

export type RegexCost =
  | { kind: "linear" }
  | { kind: "polynomial"; degree: number; attack: string }
  | { kind: "exponential"; attack: string; linearEngine: boolean }
  | { kind: "unknown"; reason: string };
