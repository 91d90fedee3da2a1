import { describe, expect, it } from "vitest";
import { type Flow, flowOf } from "../../compiler/regex/streaming.js";
import { translateRegex } from "../../compiler/regex/translate.js";
import type { ReplaceRule } from "../../runtime/abi/exchange.js";
import { filter } from "../../runtime/abi/text/filter.js";
import { forAllMatches } from "../../runtime/abi/text/linear.js";
import { Sliding, slideOf } from "../../runtime/abi/text/sliding.js";
import { numbers, type Random } from "../support/random.js";

/** Patterns in each test; the subject is short, so that every way of cutting it can be tried. */
const PATTERNS = process.env["GWC_ATTACK"] === "long" ? 60_000 : 1_500;

const pick = <T>(random: Random, of: readonly T[]): T => of[random(of.length)] as T;

const ATOMS = ["a", "b", "c", "\\n", "[ab]", "[^a]", ".", "\\w", "\\s", "\\R", "ab", "aa"];
const ASSERTIONS = [
  "^",
  "$",
  "\\b",
  "\\B",
  "\\A",
  "\\z",
  "\\Z",
  "(?=a)",
  "(?!b)",
  "(?<=a)",
  "(?<!ab)",
  "(?=ab|c)",
  "(?<=ba|cc)",
  "(?=.{0,2}b)",
  "(?![ab]{1,2}c)",
  "(?=a\\b)",
  "(?!$)",
  "(?<!\\n)",
  "(?(?=a.)[ab]|c)",
];
const COUNTS = ["?", "??", "{0,2}", "{1,3}?", "{2}", "?+", "{1,2}+"];
const RUNS = ["a+", "[ab]*", "\\s+", "[^a]+", ".*", "a++", "b{2,}"];

function pattern(random: Random, depth = 0): string {
  const parts = Array.from({ length: 1 + random(3) }, () => part(random, depth));
  const text = parts.join("");
  return random(6) === 0 ? `${text}|${part(random, depth)}` : text;
}

function part(random: Random, depth: number): string {
  const kind = random(10);
  if (kind === 0) return pick(random, ASSERTIONS);
  if (kind === 1 && depth < 2)
    return `(?:${pattern(random, depth + 1)})${random(2) === 0 ? pick(random, COUNTS) : ""}`;
  if (kind === 2 && depth < 2) return `(${pattern(random, depth + 1)})${random(3) === 0 ? "?" : ""}`;
  if (kind === 3 && depth < 2) return `(?>${pattern(random, depth + 1)})`;
  const atom = pick(random, ATOMS);
  return kind < 6 ? `(?:${atom})${pick(random, COUNTS)}` : atom;
}

interface Candidate {
  rule: ReplaceRule;
  flow: Flow & { mode: "stream" };
  what: string;
}

/** A random pattern that streams; undefined if this one does not. */
function candidate(random: Random): Candidate | undefined {
  const source = pattern(random) + (random(4) === 0 ? pick(random, RUNS) : "");
  const scope = random(2) === 0 ? "once" : "global";
  const options = pick(random, ["", "", "", "m", "s", "i", "a"]);
  const by = pick(random, ["<>", "", [0, "!"], ["(", 1, ")"]] as const);
  const read = typeof by === "string" ? [] : by.filter((one) => typeof one === "number");
  const translation = translateRegex(source, options, { captures: read.filter((one) => one > 0), scope });
  if (!translation.ok || read.some((one) => one > translation.groups)) return undefined;
  const flow = flowOf(source, options, { captures: read, scope, utf8: false });
  if (flow.mode !== "stream") return undefined;
  const flags = scope === "global" ? `g${translation.flags}` : translation.flags;
  const rule = ruleOf(translation.source, flags, by, flow);
  return { rule, flow, what: `${JSON.stringify(source)} ${options} ${scope} ${JSON.stringify(by)}` };
}

function ruleOf(
  source: string,
  flags: string,
  by: ReplaceRule["replacement"],
  flow: Flow & { mode: "stream" },
): ReplaceRule {
  return {
    pattern: new RegExp(source, flags),
    replacement: by,
    window: flow.window,
    lookbehind: flow.behind,
    ...(flow.run === null ? {} : { trailingRun: new RegExp(flow.run, "y") }),
    ...(flow.partial && {
      partial: new RegExp(flow.partial.source, flags.includes("y") ? "y" : "g"),
      pad: flow.partial.pad,
    }),
  };
}

const subject = (random: Random, length: number): string =>
  Array.from({ length }, () => pick(random, ["a", "a", "b", "c", "\n", " ", "\r"])).join("");

/** All ways of cutting a text: a bit for each boundary between two characters. */
function* pieces(text: string): Generator<string[]> {
  for (let cuts = 0; cuts < 2 ** Math.max(0, text.length - 1); cuts++) {
    const out: string[] = [];
    let from = 0;
    for (let i = 1; i < text.length; i++)
      if ((cuts >> (i - 1)) & 1) {
        out.push(text.slice(from, i));
        from = i;
      }
    yield [...out, text.slice(from)];
  }
}

/** @param pauses after each piece no more input arrives for a while */
function streamed(rules: readonly ReplaceRule[], parts: readonly string[], pauses: boolean): string {
  const streams = rules.flatMap((rule) => {
    const slide = slideOf(rule);
    return slide === undefined ? [] : [new Sliding(slide)];
  });
  return parts
    .map((part, i) => {
      const last = i === parts.length - 1;
      const pushed = (text: string, stream: Sliding) => {
        const out = last || text !== "" ? stream.push(text, last) : "";
        return pauses && !last ? out + stream.pause(false) : out;
      };
      return streams.reduce(pushed, part);
    })
    .join("");
}

/** First text and way of cutting with another result than the whole text; undefined if there is none. */
function difference(rules: readonly ReplaceRule[], texts: readonly string[]): string | undefined {
  const { apply } = filter(rules);
  for (const text of texts) {
    const whole = apply(text);
    for (const parts of pieces(text)) {
      for (const pauses of [false, true]) {
        const got = streamed(rules, parts, pauses);
        if (got !== whole)
          return `${JSON.stringify(parts)}: ${JSON.stringify(got)} instead of ${JSON.stringify(whole)}`;
      }
    }
  }
  return undefined;
}

/** Number of random patterns that stream. `use` returns false to stop. */
function forPatterns(
  seed: number,
  use: (one: Candidate, random: Random) => boolean,
  patterns = PATTERNS,
): number {
  const random = numbers(seed);
  let streaming = 0;
  for (let i = 0; i < patterns; i++) {
    const one = candidate(random);
    if (one === undefined) continue;
    streaming++;
    if (use(one, random) === false) break;
  }
  return streaming;
}

/** Reports whether a filter with mutated rules has a wrong result. */
function fails(mutate: (rule: ReplaceRule) => ReplaceRule): boolean {
  let found = false;
  forPatterns(
    7,
    ({ rule }, random) => {
      const text = subject(random, 7);
      const whole = filter([rule]).apply(text);
      found = [...pieces(text)].some((parts) => streamed([mutate(rule)], parts, true) !== whole);
      return !found;
    },
    50_000,
  );
  return found;
}

/** All texts of up to `length` characters. */
function* texts(length: number): Generator<string> {
  yield "";
  if (length > 0)
    for (const rest of texts(length - 1)) for (const first of ["a", "b", "c", "\n", "\r"]) yield first + rest;
}

/** Common beginning of the results for all continuations: no filter can give more. */
function decided({ rule }: Candidate, text: string): string {
  const { apply } = filter([rule]);
  let common: string | undefined;
  for (const rest of texts(4)) {
    const whole = apply(text + rest);
    common ??= whole;
    let end = 0;
    while (end < common.length && common[end] === whole[end]) end++;
    common = common.slice(0, end);
  }
  return common ?? "";
}

describe("a streaming filter", () => {
  it("a streaming filter has the result of the whole body, for every way of cutting it", () => {
    const streaming = forPatterns(1, ({ rule, what }, random) => {
      const texts = [subject(random, 1 + random(6)), subject(random, 8)];
      expect(difference([rule], texts), what).toBeUndefined();
      return true;
    });
    expect(streaming).toBeGreaterThan(PATTERNS / 2);
  }, 600_000);

  it("several streaming filters in a row have the result of the whole body", () => {
    let before: Candidate | undefined;
    forPatterns(2, (one, random) => {
      if (before !== undefined)
        expect(
          difference([before.rule, one.rule], [subject(random, 7)]),
          `${before.what}, then ${one.what}`,
        ).toBeUndefined();
      before = one;
      return true;
    });
  }, 600_000);

  it("a streaming filter retains little more than the text that further input would change", () => {
    let [looks, late] = [0, 0];
    forPatterns(3, (one, random) => {
      const slide = slideOf(one.rule);
      // A replacement that is never the beginning of the replaced text.
      if (slide?.partial === undefined || one.rule.replacement !== "<>") return true;
      const stream = new Sliding(slide);
      const text = subject(random, 6);
      const got = stream.push(text, false) + stream.pause(false);
      const most = decided(one, text);
      looks++;
      expect(
        most.startsWith(got),
        `${one.what} gives ${JSON.stringify(got)} of ${JSON.stringify(text)}`,
      ).toBe(true);
      if (got !== most) late++;
      return true;
    });
    expect(looks).toBeGreaterThan(50);
    // Matches that no further four bytes complete, and look-arounds, which are open as far as they reach.
    expect(late / looks).toBeLessThan(0.15);
  }, 600_000);

  it.each([
    ["password", "", "data: 1\n\n", "data: 1\n\n"],
    ["password", "", "data: pass", "data: "],
    ["password", "i", "a PASSwork PaS", "a PASSwork "],
    ['"email":"[^"]{0,200}"', "", 'data: {"email":"a@b.c"}\n\n', "data: {*}\n\n"],
    ['"email":"[^"\\n]{0,200}"', "", 'data: {"email":"a\n\n', 'data: {"email":"a\n\n'],
    ["password|secret", "", "my secret", "my *"],
    ["<b>.{0,100}?</b>", "", "<b>x</b>", "*"],
    ["\\bcat\\b", "", "the cat sat", "the * sat"],
    ["\\bcat\\b", "", "the cat", "the "],
    ["(?<=id=)[0-9]{1,9}", "", "id=12 id=34", "id=* id="],
    ["a(?=b{1,3}c)", "", "abbb ab", "abbb "],
    ["a(?!bc)", "", "ax ab", "*x "],
    ["^event: (?:a|b)$", "m", "event: a\nevent: x\nevent", "*\nevent: x\n"],
    ["(?>aa|a)b?c", "", "aad aa", "aad "],
    ["(a|b)\\1", "", "x\n\n", "x\n"],
  ])("the filter /%s/%s gives %j as %j", (source, options, text, expected) => {
    const translation = translateRegex(source, options, { captures: [], scope: "global" });
    const flow = flowOf(source, options, { captures: [], scope: "global", utf8: false });
    if (!translation.ok || flow.mode !== "stream") throw new Error("it does not stream");
    const rule = ruleOf(translation.source, `g${translation.flags}`, "*", flow);
    const slide = slideOf(rule);
    const stream = slide && new Sliding(slide);
    expect(`${stream?.push(text, false)}${stream?.pause(false)}`).toBe(expected);
  });

  it.each<[what: string, mutate: (rule: ReplaceRule) => ReplaceRule]>([
    ["one byte less of a match", (rule) => ({ ...rule, window: Math.max(1, (rule.window ?? 1) - 1) })],
    ["nothing of what a match looks at behind its start", (rule) => ({ ...rule, window: 1 })],
    ["nothing of what a match looks at in front of it", (rule) => ({ ...rule, lookbehind: 0 })],
    [
      "matches taken for decided that more text can change",
      ({ pattern, ...rule }) => ({ ...rule, pattern, partial: forAllMatches(pattern) }),
    ],
  ])("a streaming filter has a wrong result with %s", (_, mutate) => {
    expect(fails(mutate)).toBe(true);
  });
});
