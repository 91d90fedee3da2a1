import { createRequire } from "node:module";
import { setFlagsFromString } from "node:v8";
import type { AnalysisBudget, Subject } from "../model/pattern-subject.js";
import { shortestMatch } from "./analyse/empty.js";
import { tooManyWays } from "./analyse/ways-ahead.js";
import { AnalysisCache } from "./analysis-cache.js";
import { children, type Node } from "./ast.js";
import type { WorstCase } from "./cost/worst-case.js";
import { chooseEngine, type EngineAnswer, type EngineChoice, UNKNOWN_COST, worstCase } from "./engine.js";
import { maxSyncBytes, type SearchCost, WRITE_NS } from "./sync-limits.js";
import { parseRegex, type RegexTranslation, type TranslationOptions } from "./translate.js";

/** Or the reason for a rejection. `unusable`: its engine cannot run it at all. */
export type EngineSelection =
  | (Exclude<EngineAnswer, { ok: false }> & { pace: SearchCost })
  | ((EngineAnswer & { ok: false }) & { unusable: boolean });

export interface EngineSelectionInput extends TranslationOptions {
  pattern: string;
  options: string;
  subject: Subject;
  allowSlow?: boolean;
  budget?: AnalysisBudget;
}

// Allows `l` as a flag of a pattern; workers start with it.
setFlagsFromString("--enable-experimental-regexp-engine");

/** Services and plugin_configs bring one pattern to thousands of routes. */
const worstCases = new AnalysisCache<WorstCase>("worst case", 2_000);
const judgements = new AnalysisCache<EngineSelection>("judgement", 2_000);

/** Also compiles the pattern in its engine: an accepted pattern runs. */
export function selectEngine(
  asked: EngineSelectionInput,
  translation: RegexTranslation & { ok: true },
): EngineSelection {
  const { pattern, options, subject, budget } = asked;
  // Each adjacent match begins a new search; otherwise option `a` has one search, at the beginning.
  const once = /[aA]/.test(options) && asked.scope !== "global";
  const worst = worstCaseWithin(pattern, options, once, budget);
  const key = JSON.stringify([
    options,
    asked.scope,
    asked.captures,
    subject,
    asked.allowSlow,
    worst.taken === 0,
    pattern,
  ]);
  return judgements.get(key, () => chosen(asked, translation, worst));
}

/** Charged to the budget of the resource each time, cached or not: the result must not depend on earlier calls. */
function worstCaseWithin(
  pattern: string,
  options: string,
  once: boolean,
  budget: AnalysisBudget | undefined,
): WorstCase {
  if (budget !== undefined && budget.left <= 0)
    return UNKNOWN_COST("with the other patterns of its resource it is too complex");
  const worst = worstCases.get(`${options} ${once} ${pattern}`, () => {
    const node = parseRegex(pattern, options);
    if (node === undefined) return UNKNOWN_COST("it is not translated");
    return worstCase(once ? { kind: "sequence", items: [START, node] } : node);
  });
  if (budget !== undefined) budget.left -= worst.taken;
  return worst;
}

const START = { kind: "assertion", assertion: "start", at: 0 } as const;

function chosen(
  asked: EngineSelectionInput,
  translation: RegexTranslation & { ok: true },
  worst: WorstCase,
): EngineSelection {
  const { pattern, options, captures, subject, allowSlow = false } = asked;
  const node = parseRegex(pattern, options);
  if (node === undefined) return unusable("it is not translated");
  const size = nodesIn(node);
  if (size > MAX_NODES)
    return unusable(`with its calls expanded it has ${size} parts, more than ${MAX_NODES}`);
  const ways = tooManyWays(node);
  if (ways !== undefined) return unusable(ways);
  const { groups, utf8, flags } = translation;
  const read = new Set(captures ?? Array.from({ length: groups }, (_, i) => i + 1));
  const sticky = flags.includes("y");
  const answer = chooseEngine({
    node,
    groups,
    read,
    utf8,
    sticky,
    global: asked.scope === "global",
    anchored: !sticky && /[aA]/.test(options),
    subject,
    allowSlow,
    worstCase: worst,
  });
  if (!answer.ok) return { ...answer, unusable: false };
  const fault = compileFault(translation, answer.choice);
  if (fault !== undefined) return unusable(fault);
  const { atOnce } = answer.choice;
  const pace = { atOnce: readsAhead(node, read, false) ? Math.min(atOnce, AHEAD) : atOnce };
  return { ...answer, pace: { ...pace, shortest: shortestMatch(node) } };
}

/** If each match may write the rest of the text: `(?=(.*))` with `$1`. */
const AHEAD = maxSyncBytes((bytes) => bytes * bytes * WRITE_NS);

/** A used capture can be longer than its match. */
function readsAhead(node: Node, read: ReadonlySet<number>, inside: boolean): boolean {
  if (node.kind === "group" && inside && read.has(node.number)) return true;
  return children(node).some((child) => readsAhead(child, read, inside || node.kind === "look"));
}

/** V8 needs stack for each part, and runs out from 16,000 on. */
const MAX_NODES = 10_000;

function nodesIn(node: Node): number {
  return children(node).reduce((total, child) => total + nodesIn(child), 1);
}

function unusable(reason: string): EngineSelection {
  return { ok: false, reason, attack: undefined, fits: 0, unusable: true };
}

/**
 * For both widths of text, as the workers will: V8 compiles only at the first use.
 * @returns the reason why it fails
 */
function compileFault(
  { source, flags }: RegexTranslation & { ok: true },
  choice: EngineChoice,
): string | undefined {
  try {
    const placed = flags.includes("y") ? flags : `${flags}g`;
    const pattern = new RegExp(source, placed);
    if (source.length > SMALL || source.includes("{")) run(pattern);
    if (choice.engine === "linear" && choice.linear) run(new RegExp(choice.linear.source, `${placed}l`));
    if (choice.engine === "re2" && choice.linear) compileRe2(choice.linear.source);
    return undefined;
  } catch (error) {
    return error instanceof Error ? firstLine(error.message) : "it cannot be compiled";
  }
}

/** Its code certainly fits in V8, unless something is repeated by a count. Compiling 20,000 of them took 1.3 s. */
const SMALL = 200;

/** Longer than 1,000 characters, from which on V8 compiles to machine code at once. */
const BYTES = "a\n".repeat(600);
const TEXT = `${BYTES}\u20ac`;

/** The search begins at the end, where there is nothing to do. */
function run(pattern: RegExp): void {
  for (const subject of [BYTES, TEXT]) {
    pattern.lastIndex = subject.length;
    pattern.exec(subject);
  }
}

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return line.length > 200 ? `${line.slice(0, 199)}…` : line;
}

let library: typeof import("re2js") | undefined;

/** re2js is loaded with the first pattern that needs it (20 ms). @throws Error if re2js rejects it */
function compileRe2(source: string): void {
  library ??= createRequire(import.meta.url)("re2js") as typeof import("re2js");
  library.RE2JS.compile(source);
}
