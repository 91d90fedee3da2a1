import { createRequire } from "node:module";
import type { AttackPattern, Diagnostics } from "recheck";
import { approximate } from "./analyse/approximate.js";
import { isPlainlyLinear } from "./analyse/linear.js";
import { countSteps } from "./analyse/steps.js";
import { loops, surroundings } from "./analyse/witness.js";
import type { Node } from "./ast.js";
import { runsInLinearEngine } from "./linear-engine.js";
import { Patience } from "./patience.js";
import { printPattern } from "./print.js";
import type { RegexCost } from "./regex.js";
import { Remembered } from "./remembered.js";
import { parseRegex, translateRegex } from "./translate.js";

/** Milliseconds for one question to the analyser; nearly all take 5-30. Only a guard: the answer must not depend on the machine. */
export const COST_BUDGET = 2_000;

/** 10,000 routes share few patterns. */
const costs = new Remembered<RegexCost>(2_000);

const patience = new Patience();

/** How the time of a pattern can grow with the text, judged once per pattern. */
export function analyseCost(pattern: string, options: string, budgetMs: number): RegexCost {
  return costs.get(`${options} ${pattern}`, () => judge(pattern, options, budgetMs));
}

function judge(pattern: string, options: string, budgetMs: number): RegexCost {
  const node = parseRegex(pattern, options);
  if (node !== undefined && isPlainlyLinear(node)) return LINEAR;
  const translation = translateRegex(pattern, options, { captures: [] });
  if (!translation.ok || node === undefined) return { kind: "unknown", reason: "not translated" };
  const { parts, exact } = approximate(node);
  const answers = parts.map((part) =>
    ask(printed(part, translation.utf8), translation.utf8 ? "u" : "", budgetMs),
  );
  const costs = answers.map((answer) => {
    const cost = read(answer);
    if (exact || cost.kind !== "exponential" || answer.status !== "vulnerable") return cost;
    const attack = confirmed(node, answer.attack);
    return attack === undefined ? LINEAR : { ...cost, attack };
  });
  const whole = costs.reduce((a, b) => (RANK[b.kind] > RANK[a.kind] ? b : a));
  const worst = whole.kind === "unknown" ? (explosiveLoop(node, translation.utf8) ?? whole) : whole;
  return worst.kind === "exponential" ? { ...worst, linearEngine: runsInLinearEngine(translation) } : worst;
}

/** Loops that are looked at one by one where the whole is too involved. */
const LOOPS = 8;

/** A loop that takes exponential time by itself, in a pattern that the analyser cannot judge as a whole. */
function explosiveLoop(node: Node, utf8: boolean): (RegexCost & { kind: "exponential" }) | undefined {
  for (const { loop, before } of loops(node).slice(0, LOOPS)) {
    const [part] = approximate({ kind: "sequence", items: [loop, END] }).parts;
    const answer = part && ask(printed(part, utf8), utf8 ? "u" : "", LOOP_BUDGET);
    if (answer?.status !== "vulnerable" || read(answer).kind !== "exponential") continue;
    if (!growsExponentially(node, (times) => before + pumped(answer.attack, times))) continue;
    const start = before === "" ? "" : `${quoted(before)} + `;
    return { kind: "exponential", attack: start + answer.attack.pattern, linearEngine: false };
  }
  return undefined;
}

/** Milliseconds; a single loop takes 5-30. */
const LOOP_BUDGET = 1_000;
const END: Node = { kind: "assertion", assertion: "end", at: 0 };

const LINEAR: RegexCost = { kind: "linear" };
const RANK: Readonly<Record<RegexCost["kind"], number>> = {
  linear: 0,
  unknown: 1,
  polynomial: 2,
  exponential: 3,
};

function printed(node: Node, utf: boolean): string {
  return printPattern(node, { utf, read: new Set(), standing: new Map() });
}

type Analyser = typeof import("recheck").checkSync;
let analyser: Analyser | undefined;

/** Its loading takes 70 ms, so it waits for the first pattern that needs it. The build without processes and threads is the one that answers synchronously. */
function loadAnalyser(): Analyser {
  analyser ??= (createRequire(import.meta.url)("recheck/lib/browser.js") as { checkSync: Analyser })
    .checkSync;
  return analyser;
}

function ask(source: string, flags: string, budgetMs: number): Diagnostics {
  const analyse = loadAnalyser();
  try {
    const answer = analyse(source, flags, { checker: "automaton", timeout: patience.budget(budgetMs) });
    if (answer.status === "unknown" && answer.error.kind === "timeout") patience.ranOut();
    return answer;
  } catch (error) {
    /* recheck 4.5 overflows the stack on some 200 nested groups. */
    if (!(error instanceof RangeError)) throw error;
    return { source, flags, status: "unknown", error: { kind: "unexpected", message: error.message } };
  }
}

function read(answer: Diagnostics): RegexCost {
  if (answer.status === "unknown") return { kind: "unknown", reason: answer.error.kind };
  if (answer.status === "safe") return LINEAR;
  const attack = answer.attack.pattern;
  if (answer.complexity.type === "exponential") return { kind: "exponential", attack, linearEngine: false };
  return { kind: "polynomial", degree: answer.complexity.degree, attack };
}

/** Repetitions of the attack's pump that are tried; a step of four multiplies exponential work by 4 or more, work of power 6 by less. */
const PUMPS = [8, 12, 16, 20];
const GROWTH = 4;

/**
 * The attack comes from an approximation without look-arounds: whether the pattern itself falls for it, as it is or
 * between texts that let the look-arounds hold, its steps tell.
 * @returns the attack as JavaScript
 */
function confirmed(node: Node, attack: AttackPattern): string | undefined {
  const { before, after } = surroundings(node);
  const tried = new Set<string>();
  for (const [start, end] of [
    ["", ""],
    [before, ""],
    ["", after],
    [before, after],
  ] as const) {
    if (tried.has(`${start}\0${end}`)) continue;
    tried.add(`${start}\0${end}`);
    if (!growsExponentially(node, (times) => start + pumped(attack, times) + end)) continue;
    return [start && quoted(start), attack.pattern, end && quoted(end)].filter(Boolean).join(" + ");
  }
  return undefined;
}

function quoted(text: string): string {
  return `'${JSON.stringify(text).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`;
}

function pumped({ pumps, suffix }: AttackPattern, times: number): string {
  return pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join("") + suffix;
}

function growsExponentially(node: Node, text: (times: number) => string): boolean {
  const steps = PUMPS.map((times) => countSteps(node, text(times)));
  return steps.slice(1).every((count, i) => count >= GIVEN_UP || count >= GROWTH * (steps[i] ?? 0));
}

/** The interpreter stops at 400,000 steps: more than any polynomial pattern needs for 20 pumps. */
const GIVEN_UP = 400_000;
