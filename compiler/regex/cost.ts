import { createRequire } from "node:module";
import type { Diagnostics } from "recheck";
import { approximate } from "./analyse/approximate.js";
import { isPlainlyLinear } from "./analyse/linear.js";
import type { Node } from "./ast.js";
import { runsInLinearEngine } from "./linear-engine.js";
import { printPattern } from "./print.js";
import type { RegexCost } from "./regex.js";
import { parseRegex, translateRegex } from "./translate.js";

/** Milliseconds for one question to the analyser: nine of ten patterns need 5-30, see docs/regular-expressions.md. */
export const COST_BUDGET = 300;

/** 10,000 routes share few patterns; the oldest go first beyond this many. */
const CACHE_SIZE = 2_000;
const cache = new Map<string, RegexCost>();

/** How the time of a pattern can grow with the text, judged once per pattern. */
export function analyseCost(pattern: string, options: string, budgetMs: number): RegexCost {
  const key = `${options} ${pattern}`;
  const known = cache.get(key);
  if (known !== undefined) return known;
  const cost = judge(pattern, options, budgetMs);
  if (cache.size >= CACHE_SIZE)
    for (const oldest of [...cache.keys()].slice(0, CACHE_SIZE / 4)) cache.delete(oldest);
  cache.set(key, cost);
  return cost;
}

function judge(pattern: string, options: string, budgetMs: number): RegexCost {
  const translation = translateRegex(pattern, options, { captures: [] });
  const node = parseRegex(pattern, options);
  if (!translation.ok || node === undefined) return { kind: "unknown", reason: "not translated" };
  if (isPlainlyLinear(node)) return { kind: "linear" };
  const { main, inner, exact } = approximate(node);
  const costs = [main, ...inner].map((part) =>
    ask(printed(part, translation.utf8), translation.flags, "automaton", budgetMs),
  );
  const worst = costs.reduce((a, b) => (RANK[b.kind] > RANK[a.kind] ? b : a));
  const sure =
    exact || worst.kind !== "exponential"
      ? worst
      : ask(translation.source, translation.flags, "fuzz", budgetMs);
  if (sure.kind === "exponential") return { ...sure, linearEngine: runsInLinearEngine(translation) };
  return sure;
}

const RANK: Readonly<Record<RegexCost["kind"], number>> = {
  linear: 0,
  polynomial: 1,
  unknown: 2,
  exponential: 3,
};

function printed(node: Node, utf: boolean): string {
  return printPattern(node, { utf, groups: 0, standing: new Map() });
}

type Analyser = typeof import("recheck").checkSync;
let analyser: Analyser | undefined;

/** Its loading takes 70 ms, so it waits for the first pattern that needs it. The build without processes and threads is the one that answers synchronously. */
function loadAnalyser(): Analyser {
  analyser ??= (createRequire(import.meta.url)("recheck/lib/browser.js") as { checkSync: Analyser })
    .checkSync;
  return analyser;
}

function ask(source: string, flags: string, checker: "automaton" | "fuzz", budgetMs: number): RegexCost {
  const answer = loadAnalyser()(source, flags.replace("y", ""), {
    checker,
    timeout: budgetMs,
    randomSeed: 1,
  });
  return read(answer);
}

function read(answer: Diagnostics): RegexCost {
  if (answer.status === "unknown") return { kind: "unknown", reason: answer.error.kind };
  if (answer.status === "safe") return { kind: "linear" };
  const attack = answer.attack.pattern;
  if (answer.complexity.type === "exponential") return { kind: "exponential", attack, linearEngine: false };
  return { kind: "polynomial", degree: answer.complexity.degree, attack };
}
