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
].concat(["+?", "*+", "{14}", "{12,}", "{20}", "{0,9}", "{1,64}", "{8,30}", "*"]);

const ASSERTIONS = ["^", "$", "\\b", "\\B", "\\Z", "\\z"];

const TEXTS = [
  "a".repeat(24),
  "ab".repeat(12),
  `${"a".repeat(23)}b`,
  "b".repeat(24),
  "a".repeat(12) + "b".repeat(12),
  `${"aab".repeat(8)}!`,
  "b".repeat(60),
  `${"ab".repeat(29)}!\n`,
];

/** Look-arounds and assertions stand alone. */
const isCounted = (atom: string): boolean =>
  atom !== "" && !/^\(\?[=!]/.test(atom) && !ASSERTIONS.includes(atom);

/** Small patterns whose repetitions overlap, nest, count and may be empty. */
const { nested } = fc.letrec<{ atom: string; nested: string }>((tie) => ({
  atom: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom("a", "b", "[ab]", ".", "[^a]", "\\w", "a", "b", "", ...ASSERTIONS),
    fc
      .tuple(fc.constantFrom("(?:", "(?:", "(", "(?>", "(?>", "(?=", "(?!"), tie("nested"))
      .map(([open, body]) => `${open}${body})`),
  ),
  nested: fc
    .array(
      fc
        .array(fc.tuple(tie("atom"), fc.constantFrom(...QUANTIFIERS)), { minLength: 1, maxLength: 4 })
        .map((pieces) => pieces.map(([atom, count]) => (isCounted(atom) ? atom + count : atom)).join("")),
      { minLength: 1, maxLength: 3 },
    )
    .map((branches) => branches.join("|"))
    .filter((pattern) => pattern.length <= 60),
}));

/** Loops over atomic groups are as many as other patterns. */
const patterns = fc.oneof(
  nested,
  fc
    .tuple(fc.constantFrom("", "^"), nested, fc.constantFrom("*", "+", "*?", "{2,9}", "{8,30}"), nested)
    .map(([start, body, count, end]) => `${start}(?>${body})${count}${end}`),
);

/** @returns generated patterns that take more steps on some text than the bound of their worst case says */
export function patternsOverTheirBound({ seed, count }: { seed: number; count: number }): string[] {
  const over: string[] = [];
  for (const pattern of fc.sample(patterns, { seed, numRuns: count })) {
    const node = parseRegex(pattern, "");
    if (node === undefined) continue;
    const cost = worstCase(node);
    const attack = slowest(cost);
    for (const text of [...TEXTS, ...(attack ? [attackText(attack, 24)] : [])])
      if (countSteps(node, text) > stepsFor(cost, text.length)) over.push(`${pattern} on ${text}`);
  }
  return over;
}
