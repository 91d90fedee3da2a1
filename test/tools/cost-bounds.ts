import fc from "fast-check";
import { stepsFor } from "../../compiler/regex/cost/worst-case.js";
import { attackText, slowest, worstCase } from "../../compiler/regex/engine.js";
import { parseRegex } from "../../compiler/regex/translate.js";
import { countSteps } from "./backtracking-steps.js";

const QUANTIFIERS = [
  "",
  "",
  "",
  "*",
  "+",
  "?",
  "{3}",
  "{2,}",
  "{1,4}",
  "{0,3}",
  "{7}",
  "*?",
  "{5,}",
  "{5}?",
].concat(["+?", "*+", "{14}", "{12,}", "{20}"]);

const TEXTS = [
  "a".repeat(24),
  "ab".repeat(12),
  `${"a".repeat(23)}b`,
  "b".repeat(24),
  "a".repeat(12) + "b".repeat(12),
  `${"aab".repeat(8)}!`,
];

/** Small patterns whose repetitions overlap, nest, count and may be empty. */
const { nested } = fc.letrec<{ atom: string; nested: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("a", "b", "[ab]", ".", "a", "b"),
    fc
      .tuple(fc.constantFrom("(?:", "(?:", "(", "(?>", "(?=", "(?!"), tie("nested"))
      .map(([open, body]) => `${open}${body})`),
  ),
  nested: fc
    .array(
      fc
        .array(fc.tuple(tie("atom"), fc.constantFrom(...QUANTIFIERS)), { minLength: 1, maxLength: 4 })
        .map((pieces) =>
          pieces.map(([atom, count]) => (/^\(\?[=!]/.test(atom) ? atom : atom + count)).join(""),
        ),
      { minLength: 1, maxLength: 3 },
    )
    .map((branches) => branches.join("|"))
    .filter((pattern) => pattern.length <= 60),
}));

/** @returns generated patterns that take more steps on some text than the bound of their worst case says */
export function patternsOverTheirBound({ seed, count }: { seed: number; count: number }): string[] {
  const over: string[] = [];
  for (const pattern of fc.sample(nested, { seed, numRuns: count })) {
    const node = parseRegex(pattern, "");
    if (node === undefined) continue;
    const cost = worstCase(node);
    const attack = slowest(cost);
    for (const text of [...TEXTS, ...(attack ? [attackText(attack, 24)] : [])])
      if (countSteps(node, text) > 8 * stepsFor(cost, text.length + 1) + 1_000)
        over.push(`${pattern} on ${text}`);
  }
  return over;
}
