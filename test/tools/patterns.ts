import fc from "fast-check";

/** Subjects of up to eight characters that the generated patterns are likely to match; `é` and `É` fold with option `u` only. */
export const subjects = fc.string({
  unit: fc.constantFrom(
    "a",
    "b",
    "c",
    "A",
    "B",
    "1",
    "_",
    " ",
    "-",
    "\n",
    "\r",
    "\t",
    "é",
    "É",
    "\u00a0",
    "\u0085",
  ),
  maxLength: 8,
});

export const options = fc
  .subarray(["i", "m", "s", "x", "u", "a", "D"], { maxLength: 3 })
  .map((letters) => letters.join(""));

const atoms = fc.constantFrom(
  ..."a b c a b . . é 1 \\d \\D \\w \\W \\s \\S \\h \\H \\v \\V \\N \\R \\x61 \\x{62} \\xe9 \\t \\n \\Qa.\\E \\. - _".split(
    " ",
  ),
  ..."[ab] [^a] [a-c] [^\\n] [^a-c\\n] [[:alpha:]] [[:^alpha:]] [[:upper:]] [[:punct:]_] [\\w-] [^\\W] [\\s\\d] [\\x61-b] [é] [A-z]".split(
    " ",
  ),
  ..."[[:lower:]é] [\\D1] [^\\S\\n] [a\\-c] []a] [^]a] [\\Qb-\\E] \\p{L} \\x85 \\P{Lu} [\\p{Ll}1] [^\\p{L}]".split(
    " ",
  ),
);
const assertions = fc.constantFrom(
  ..."^ $ \\A \\z \\Z \\b \\B ^ $ \\b (?=a) (?!b) (?<=a) (?<!b) (?<=ab|c) (?=(a)) (?<=(.))".split(" "),
);
const quantifiers = fc.constantFrom(
  ..."* + ? *? +? ?? {2} {0,2} {1,} {1,2}? *+ ++ ?+ {0,1}+ {2}+ {0}".split(" "),
);
/* pcre2test 10.42 takes a pattern for anchored when a group with \\A is repeated {0} times. */
const groupQuantifiers = quantifiers.filter((times) => times !== "{0}");
const references = fc.constantFrom(
  "\\1",
  "\\2",
  "\\g{1}",
  "\\g{-1}",
  "\\1",
  "(?1)",
  "(?2)",
  "\\g<1>",
  "(?-1)",
  "(?+1)",
  "(?&n)",
);
const openings = fc.constantFrom(
  ..."( ( (?: (?: (?> (?= (?! (?i: (?s: (?-i: (?m: (?U: (?<n> (?^: (?xx: (*atomic: (*nla: (?(DEFINE) (?| (?n: (?(?=a) (?(?!b) (?<= (?<!".split(
    " ",
  ),
);

const grammar = fc.letrec<{ item: string; row: string; pattern: string }>((tie) => ({
  item: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    { weight: 10, arbitrary: atoms },
    { weight: 3, arbitrary: assertions },
    { weight: 4, arbitrary: fc.tuple(atoms, quantifiers).map((parts) => parts.join("")) },
    { weight: 1, arbitrary: references },
    {
      weight: 1,
      arbitrary: fc.constantFrom("(?i)", "(?-i)", "(?s)", "(?#x)", "(?m)", "\\Q\\E", " ", "(?x)"),
    },
    { weight: 4, arbitrary: fc.tuple(openings, tie("pattern")).map(([open, body]) => `${open}${body})`) },
    {
      weight: 4,
      arbitrary: fc
        .tuple(openings, tie("pattern"), groupQuantifiers)
        .map(([open, body, times]) => `${open}${body})${times}`),
    },
  ),
  row: fc.array(tie("item"), { maxLength: 4 }).map((items) => items.join("")),
  pattern: fc.array(tie("row"), { minLength: 1, maxLength: 3 }).map((rows) => rows.join("|")),
}));

/** Patterns that are mostly valid. */
export const patterns = grammar.pattern;

/** Texts of pattern characters in any order: mostly invalid, to compare the error and its place. */
export const brokenPatterns = fc
  .array(
    fc.constantFrom(
      ..."( ) [ ] { } * + ? | \\ ^ $ . - a b 1 , : = ! < > ' # & é".split(" "),
      ..."(? (?< (?<= (?P (?P< (?P= (?( (?# (?> [: :] [^ \\Q \\E \\g \\k \\p \\x \\o \\c \\N \\d \\b \\1 \\8 {1, {2} (?i (?^ (?- (*".split(
        " ",
      ),
    ),
    { maxLength: 7 },
  )
  .map((parts) => parts.join(""));
