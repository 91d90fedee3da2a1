import { describe, expect, test } from "vitest";
import { stepsFor, type WorstCase, worstCaseOf } from "../../../compiler/regex/cost/worst-case.js";
import { checkRegex } from "../../../compiler/regex/diagnose.js";
import { attackText, slowest, worstCase } from "../../../compiler/regex/engine.js";
import { parseRegex } from "../../../compiler/regex/translate.js";
import { few, runs } from "../../support/runs.js";
import { countSteps } from "../../tools/backtracking-steps.js";
import { patternsOverTheirBound } from "../../tools/cost-bounds.js";

function costOf(pattern: string, options = ""): WorstCase {
  const node = parseRegex(pattern, options);
  if (node === undefined) throw new Error(`not a pattern: ${pattern}`);
  return worstCase(node);
}

/** Returns the power with which the steps grow; Infinity is exponential, NaN unknown. */
function powerOf(pattern: string, options = ""): number {
  const powers = costOf(pattern, options).parts.map((bounds) =>
    Math.min(...bounds.map((bound) => (bound.kind === "bounded" ? bound.power : Number.NaN))),
  );
  return Math.max(...powers);
}

function words(count: number, beginning: string): string {
  return Array.from({ length: count }, (_, i) => `${beginning}${i + 100}`).join("|");
}

const POWERS: [pattern: string, power: number][] = [
  ["", 1],
  ["error|warning", 1],
  ["^/api/v1/users/(\\d+)/(.*)", 1],
  ['"password":"[^"]*"', 1],
  ["password=[^;]*;", 2],
  ["(?<=token=)[^&]+", 1],
  ["\\b(?:\\d{4}[ -]?){3}\\d{4}\\b", 1],
  ["^(?:[a-z0-9-]+\\.)+[a-z]{2,}$", 1],
  ["^/shop/(.*)\\.html$", 1],
  ["^/([^/]+)/(.*)/edit", 1],
  ["^(a++)+$", 1],
  ["^(?>a+)+$", 1],
  ["^(?:a++b)+$", 1],
  ["^(?>a+b)+$", 1],
  ["^(?>a+;)*$", 1],
  ["^(?>[a-z]{1,9} ?)*!", 1],
  ["^(?>\\d{1,3}[.]){3}x", 1],
  ["^(?>a|b)*[ab]*c", 2],
  ['^"(?>[^"\\\\]+|\\\\.)*"$', 1],
  ["^(?>(?=[ab]*c)[ab])*d", 2],
  ["^(?>a)[ab]*c", 1],
  ["\\b\\w+\\b@", 1],
  ["^[a-z]{1,63}(?:\\.[a-z]{1,63}){0,10}$", 1],
  ['<a href="[^"]{0,200}">', 1],
  ["(?i)\\bunion\\b|\\bselect\\b|\\binsert\\b", 1],
  ["\\s+", 1],
  ["\\s+$", 2],
  ["\\s{1,100}$", 1],
  ["a*b", 2],
  ["^(.*)/(.*)$", 2],
  ["<script[^>]*>[^\\n]*?</script>", 2],
  ["(?m)^.*x", 1],
  ["(?ms)^.*x", 2],
  ["([a-z])\\1", 1],
  ["(a\\1?)\\1", 1],
  ["x(?>a|ab)+c", 1],
  ["<(\\w+)>.*?</\\1>", 2],
  ["a(?>.*)", 1],
  ["a(?>.*)b", 2],
  ["(?=.*a)b", 2],
  ["^.*a.*b.*$", 3],
  ["^.*a[^b]*c", 2],
  ["(.*)/(.*)/(.*)/x$", 4],
  ["^(a+)+$", Number.POSITIVE_INFINITY],
  ["(a|aa)+$", Number.POSITIVE_INFINITY],
  ["(\\w+\\s*)+:$", Number.POSITIVE_INFINITY],
  ["(?=(a+)+b)a", Number.POSITIVE_INFINITY],
  ["x(?>(?:a+)+b)c", Number.POSITIVE_INFINITY],
  ["(?<=x)(a+)+$", Number.POSITIVE_INFINITY],
  ["^(?=.*[A-Z])(?=.*\\d)(a+)+$", Number.POSITIVE_INFINITY],
  ["(?:\\w|\\d)+(?=</b>)", Number.POSITIVE_INFINITY],
];

describe("the worst case of a pattern", () => {
  test.each(POWERS)("the worst case of %j grows with power %s of the text's length", (pattern, power) => {
    expect(powerOf(pattern)).toBe(power);
  });

  test("the costs of counted repetitions multiply if they overlap, and not otherwise", () => {
    expect(stepsFor(costOf("(?:\\d{1,3}\\.){3}\\d{1,3}"), 1000)).toBeLessThan(50_000);
    expect(stepsFor(costOf(".{0,200}a.{0,200}b"), 1000)).toBeGreaterThan(10_000_000);
  });

  test("a condition costs as much as the alternation that it is translated to", () => {
    const steps = (pattern: string) => stepsFor(costOf(pattern), 1000);
    expect(steps("(?(?=[ab]*c)a|b)")).toBe(steps("(?:(?=[ab]*c)a|(?![ab]*c)b)"));
    expect(steps("(?(?=(?(?=[ab]*c)a|b))a|b)")).toBeGreaterThan(1.9 * steps("(?(?=[ab]*c)a|b)"));
  });

  test("the bound of an alternation of 200 words is below 100 steps per character", () => {
    const words = Array.from({ length: 200 }, (_, i) => `agent-${i}`);
    expect(stepsFor(costOf(words.join("|")), 1000)).toBeLessThan(100_000);
  });

  test.each(["(?:(?:a|b)*c(?:d|e)*){2,40}(?:f|g)*$", `${"(?:".repeat(200)}a${")*".repeat(200)}`])(
    "the analysis of %j ends after at most 1,000,000 steps, and the pattern counts as slow",
    (pattern) => {
      const cost = costOf(pattern);
      expect(cost.taken).toBeLessThanOrEqual(1_000_000);
      expect(stepsFor(cost, 10_000)).toBeGreaterThan(20_000_000);
    },
  );

  /* Excludes look-arounds, where an attack may need more than the analysis of the parts knows. */
  const ATTACKED = POWERS.filter(([pattern, power]) => power > 1 && !/\(\?<?=/.test(pattern));
  test.each(ATTACKED)("the attack text of %j makes the steps grow with power %s", (pattern, power) => {
    const node = parseRegex(pattern, "");
    const attack = slowest(costOf(pattern));
    if (node === undefined || attack === undefined) throw new Error("no attack");
    const [short, long] = [30, 60].map((length) => countSteps(node, attackText(attack, length)));
    const exponential = power === Number.POSITIVE_INFINITY;
    // For power 2, twice the length takes four times the steps; 0.75 allows for the part that does not grow.
    if (exponential) expect(countSteps(node, attackText(attack, 60))).toBeGreaterThan(100_000);
    else expect(long ?? 0).toBeGreaterThan((short ?? 0) * 2 ** (power - 0.75));
  });

  test.each(POWERS.filter(([, power]) => power < 5))(
    "%j never takes more steps than its bound",
    (pattern) => {
      const node = parseRegex(pattern, "");
      const cost = costOf(pattern);
      if (node === undefined) throw new Error("not parsed");
      const attack = slowest(cost);
      const texts = [
        "a".repeat(60),
        "/a".repeat(30),
        " ".repeat(60),
        "<script>".repeat(8),
        "1.2.3.4".repeat(9),
      ];
      if (attack !== undefined) texts.push(attackText(attack, 60));
      for (const text of texts)
        expect(countSteps(node, text)).toBeLessThanOrEqual(stepsFor(cost, text.length));
    },
  );

  test.each([
    "^(?:a?){20}a{20}$",
    "^(?:a?){20,}b$",
    "(.{1,4}){14}b",
    "^(?:a|b?){18}c",
    "(?:(?:a?){9,}b?){9,}c",
    "(?:a?){20}(?=b)c",
    // Bodies of atomic groups and possessive repetitions, in one loop and in two nested ones.
    "^(?>(?:\\w{1,9} ?){1,9};)*$",
    "^(?>(?:\\w{1,30}[ -]?){1,9};)*$",
    "^(?>(?:a|a){22}b)+c",
    "^(?>(?:a|a){22}b){2,9}c",
    "^(?>x(?>(?:a|a){22}b)*y)*c",
    "^(?:(?:(?:a|a){22}b){1,5}+)+c",
    "^(?:(?:(?:a|a){22}b)++){2,9}c",
    "(?=(?>(?:a|a){22}b)+c)a",
    "(?<=c(?>(?:a|a){22}b){2})x",
  ])("the bound of %j exceeds 20,000,000 steps, since rounds of a repetition multiply", (pattern) => {
    expect(stepsFor(costOf(pattern), 1_000)).toBeGreaterThan(20_000_000);
  });

  const CAPTURES = "()".repeat(50);

  /* On 32 kB each of these blocked a worker for 50 ms to 2.3 s. */
  const COSTLY: [what: string, pattern: string, options: string, steps: number][] = [
    ["a look-behind is matched from its end", "(?<=b[^b]{300}|c[^c]{300}|d[^d]{300})a", "", 900],
    [
      "each round of a loop writes its captures down",
      `(?:${"(".repeat(20)}a${")".repeat(20)}){100}x`,
      "",
      2000,
    ],
    ["each round of a loop empties its captures, tried or not", `^(?:a|b${CAPTURES})*c`, "", 290],
    ["so does each round of a lazy loop", `^(?:a|b${CAPTURES})*?c`, "", 290],
    ["so does each round at the end of a pattern", `^a(?:a|b${CAPTURES})*`, "", 290],
    ["so does each round of an atomic group", `^(?>a|b${CAPTURES})*c`, "", 290],
    ["atomic groups are captures in JavaScript", `^(?:a|b${"(?>x*y)".repeat(50)})*c`, "", 290],
    ["what is tested against a property takes longer", "\\p{L}{100}!", "u", 400],
    ["V8 shares no beginnings of classes", words(40, "aaaaaaaaaa"), "i", 400],
    ["V8 shares no beginnings of what is more than letters", words(40, "aaaaaaaaaa\\d"), "", 400],
  ];
  test.each(COSTLY)("%s: the bound of %j counts these steps", (_what, pattern, options, steps) => {
    expect(stepsFor(costOf(pattern, options), 1_000)).toBeGreaterThan(steps * 1_000);
  });

  test("a pattern is rejected if the captures that its loop empties would exhaust V8's stack", () => {
    const subject = { name: "a slice", bytes: 65_536, atOnce: 65_536 };
    const looped = (captures: number) => `^(?:a|b${"()".repeat(captures)})*(?=c)`;
    const check = (captures: number) =>
      checkRegex({ pattern: looped(captures), options: "", captures: [], subject, span: undefined });
    const [accepted, refused] = [check(20), check(60)];
    expect(accepted.regex?.engine).toBe("backtracking");
    expect(new RegExp(accepted.regex?.source ?? "").exec("a".repeat(65_536))).toBeNull();
    expect(refused.diagnostics).toMatchObject([{ code: "GW4504" }]);
    expect(() => new RegExp(looped(300)).exec("a".repeat(65_536))).toThrow(RangeError);
  });

  test.each(["(^.)\\1+?(?!a*b)", "^(\\ba)\\1*?(?!a*b)"])(
    "the worst case of %j has power 2, since a back reference compares text and not positions",
    (pattern) => {
      expect(powerOf(pattern)).toBe(2);
    },
  );

  test.each(["(a)", "(a*)"])(
    "the analysis of back references that double with each group behind %j ends in 1,000,000 steps",
    (first) => {
      const doubled = Array.from({ length: 150 }, (_, i) => `(\\${i + 1}\\${i + 1})`).join("");
      expect(costOf(`${first}${doubled}x`).taken).toBeLessThanOrEqual(1_000_000);
    },
  );

  test("a pattern that V8's linear engine would unroll too often runs on re2js", () => {
    const header = { name: "a header", bytes: 16_384, atOnce: 16_384 };
    const pattern = "^(?:[a-z]+-){12}(.*)/(.*)/(.*)/x$";
    const checked = checkRegex({ pattern, options: "", captures: [], subject: header, span: undefined });
    expect(checked).toMatchObject({ diagnostics: [], regex: { engine: "re2" } });
  });

  test("a global filter with option a searches again behind each match and is rejected, unlike a single one", () => {
    const body = { name: "a body", bytes: 1_000_000, atOnce: 65_536 };
    const filter = { pattern: "a[^\\n]*b|a", options: "a", captures: [], subject: body, span: undefined };
    expect(checkRegex({ ...filter, scope: "once" }).diagnostics).toEqual([]);
    expect(checkRegex({ ...filter, scope: "global" }).diagnostics).toMatchObject([{ code: "GW4504" }]);
  });

  test("the analysis without steps left returns an unknown cost for every remaining part", () => {
    const node = parseRegex("a{2,90}(?=b{2,90})(?=c{2,90})", "");
    if (node === undefined) throw new Error("not a pattern");
    const unknown = [{ kind: "unknown", reason: "it is too complex" }];
    expect(worstCaseOf(node, 0).parts).toEqual([unknown, unknown, unknown]);
  });

  test.each(few([1, 2, 3]))("no generated pattern takes more steps than its bound, seed %i", (seed) => {
    expect(patternsOverTheirBound({ seed, count: runs(600) })).toEqual([]);
  });
});
