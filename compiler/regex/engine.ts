import type { Subject } from "../model/pattern-subject.js";
import type { Engine } from "../model/plan.js";
import { reachOf } from "./analyse/reach.js";
import type { Node } from "./ast.js";
import { type Attack, PATTERN_STEPS, stepsFor, type WorstCase, worstCaseOf } from "./cost/worst-case.js";
import { loadOf } from "./linear/load.js";
import { type Dialect, IneligibleError, type LinearForm, printLinear } from "./linear/print.js";
import { maxSyncBytes } from "./sync-limits.js";

export interface Bound {
  /** "linear": each further byte costs the same; "slow": more than the time limit, which is allowed. */
  class: "linear" | "bounded" | "slow";
  /** Milliseconds for all that is searched at once; null if unknown or unlimited. */
  ms: number | null;
}

export interface EngineChoice {
  engine: Engine;
  bound: Bound;
  /** Reason, in one line: "linear: at most 12 steps a byte". */
  cost: string;
  /** Longest text in which all searches of a filter take at most its share of the event loop (sync-limits.ts). */
  atOnce: number;
  /** Absent for "backtracking". */
  linear?: LinearForm & {
    /** Maximum bytes for the backtracking engine, which is faster where it cannot take long. */
    upTo: number;
  };
}

export type EngineAnswer =
  | { ok: true; choice: EngineChoice }
  /** `attack`: expression of a text that shows the cost; `fits`: longest accepted subject, in bytes. */
  | { ok: false; reason: string; attack: string | undefined; fits: number };

export interface EngineQuestion {
  node: Node;
  groups: number;
  read: ReadonlySet<number>;
  utf8: boolean;
  /** A match must begin where its search begins: behind the last match, or at the beginning of the text. */
  sticky: boolean;
  global: boolean;
  anchored: boolean;
  subject: Subject;
  allowSlow: boolean;
  worstCase: WorstCase;
}

/** Worst case of a search. */
const LIMIT_MS = 50;
/** At most 1.2 if a search takes a millisecond or more (test/bench/regex-steps.ts), doubled for slower machines. */
const STEP_NS = 2.5;
const LIMIT_STEPS = (LIMIT_MS * 1e6) / STEP_NS;
/** Half a millisecond, for which the backtracking engine is preferred. */
const SHORT_STEPS = 200_000;
/**
 * Nanoseconds for a byte, and for each position of the pattern that is alive there: the maximum of public
 * patterns on 31 kB made for them (re2js 9 to 18 a position, V8 33 to 100). Measured on one core of a 2.1 GHz
 * Xeon.
 */
const LINEAR_NS: Readonly<Record<Dialect, { byte: number; place: number }>> = {
  v8: { byte: 200, place: 80 },
  re2: { byte: 100, place: 20 },
};

export const UNKNOWN_COST = (reason: string): WorstCase => ({
  parts: [[{ kind: "unknown", reason }]],
  taken: 0,
});

/** Its result is the same on every machine. */
export function worstCase(node: Node): WorstCase {
  return worstCaseOf(node, PATTERN_STEPS);
}

/** Prefers the backtracking engine if it cannot take long, otherwise a linear one. */
export function chooseEngine(question: EngineQuestion): EngineAnswer {
  const { worstCase: worst, subject, allowSlow } = question;
  const growth = powerOf(worst);
  const length = growth.power <= 1 ? Math.min(subject.bytes, subject.atOnce) : subject.bytes;
  const steps = stepsFor(worst, length);
  const slowly = maxSyncBytes((bytes) => stepsFor(worst, bytes) * STEP_NS);
  if (steps <= LIMIT_STEPS) {
    const cost = inWords(worst, steps, length, subject);
    const bound = { class: growth.power <= 1 ? "linear" : "bounded", ms: inMs(steps) } as const;
    return { ok: true, choice: { engine: "backtracking", bound, cost, atOnce: slowly } };
  }
  const slow = tooSlow(worst, steps, length, subject);
  const upTo = longest(worst, subject.bytes, SHORT_STEPS);
  const why: string[] = [];
  let fits = longest(worst, subject.bytes, LIMIT_STEPS);
  const load = loadOf(question.node);
  for (const dialect of ["v8", "re2"] as const) {
    const form = formFor(dialect, question);
    if (typeof form === "string") {
      why.push(`${NAMES[dialect]} does not support ${form}`);
      continue;
    }
    const { byte, place } = LINEAR_NS[dialect];
    const pace = byte + place * load;
    const took = (Math.min(subject.bytes, subject.atOnce) * pace) / 1e6;
    if (took > LIMIT_MS && !allowSlow) {
      const time = Number.isFinite(took) ? `takes ${Math.ceil(took)} ms` : "has no known bound";
      why.push(`${NAMES[dialect]} ${time}`);
      fits = Math.max(fits, Math.floor((LIMIT_MS * 1e6) / pace));
      continue;
    }
    const cost = `${NAMES[dialect]}${upTo > 0 ? ` above ${upTo} bytes` : ""}; else ${slow}`;
    const atOnce = Math.max(upTo, linearly(question, pace));
    return {
      ok: true,
      choice: {
        engine: dialect === "v8" ? "linear" : "re2",
        bound: { class: "linear", ms: Number.isFinite(took) ? took : null },
        ...{ cost, atOnce, linear: { ...form, upTo } },
      },
    };
  }
  if (allowSlow)
    return {
      ok: true,
      choice: {
        engine: "backtracking",
        bound: { class: "slow", ms: Number.isFinite(steps) ? inMs(steps) : null },
        ...{ cost: `allowed to be slow: ${slow}`, atOnce: slowly },
      },
    };
  return { ok: false, reason: `${slow}; ${why.join("; ")}`, attack: attackOf(worst), fits };
}

/**
 * Sync limit of a linear engine. Each search may look further than its match: `x[^y]*y|x` looks for a y at
 * each x.
 */
function linearly({ node, global }: EngineQuestion, pace: number): number {
  const again = global ? reachOf(node).ahead : 1;
  return maxSyncBytes((bytes) => bytes * pace * Math.min(bytes, again));
}

const NAMES: Readonly<Record<Dialect, string>> = { v8: "the linear engine", re2: "re2js" };

function formFor(
  dialect: Dialect,
  { node, groups, read, utf8, sticky, anchored }: EngineQuestion,
): LinearForm | string {
  if (dialect === "v8" && utf8) return "option u";
  if (dialect === "re2" && sticky) return "option a with scope global";
  try {
    const form = printLinear(node, groups, read, dialect, utf8);
    return anchored ? { ...form, source: `^(?:${form.source})` } : form;
  } catch (error) {
    if (error instanceof IneligibleError) return error.message;
    throw error;
  }
}

function powerOf({ parts }: WorstCase): { power: number } {
  const powers = parts.map((bounds) =>
    Math.min(...bounds.map((bound) => (bound.kind === "bounded" ? bound.power : Number.POSITIVE_INFINITY))),
  );
  return { power: Math.max(0, ...powers) };
}

function longest(worst: WorstCase, bytes: number, steps: number): number {
  let [low, high] = [0, Math.min(bytes, 1_000_000)];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (stepsFor(worst, middle) <= steps) low = middle;
    else high = middle - 1;
  }
  return low < WORTH_IT ? 0 : low;
}

const WORTH_IT = 16;

function inWords(worst: WorstCase, steps: number, length: number, { name }: Subject): string {
  const { power } = powerOf(worst);
  if (power <= 1) return `linear: at most ${rounded(steps / (length + 1))} steps a byte`;
  return `power ${power}, but at most ${milliseconds(steps)} for ${name} of ${length} bytes`;
}

function tooSlow(worst: WorstCase, steps: number, length: number, { name }: Subject): string {
  const unknown = worst.parts.flat().find((bound) => bound.kind === "unknown");
  if (unknown?.kind === "unknown") return `${unknown.reason} to determine its cost`;
  const { power } = powerOf(worst);
  if (power === Number.POSITIVE_INFINITY) return "it can take exponential time";
  return `it can take ${milliseconds(steps)} (power ${power}) for ${name} of ${length} bytes`;
}

const inMs = (steps: number): number => (steps * STEP_NS) / 1e6;

function milliseconds(steps: number): string {
  const ms = inMs(steps);
  if (ms < 1000) return `${rounded(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 3600) return `${rounded(seconds)} s`;
  return seconds < 86_400 * 365 ? `${rounded(seconds / 3600)} hours` : "years";
}

function rounded(value: number): string {
  return value >= 10 ? String(Math.ceil(value)) : value.toPrecision(2).replace(/\.?0+$/, "");
}

/** Expression of a text: `"a" + "/b".repeat(n) + "!"`. */
function attackOf(worst: WorstCase): string | undefined {
  const found = slowest(worst);
  if (found === undefined) return undefined;
  const pieces = found.pumps.flatMap(({ before, pump }) => [
    ...(before === "" ? [] : [quoted(before)]),
    `${quoted(pump)}.repeat(n)`,
  ]);
  return [...pieces, quoted(found.end)].join(" + ");
}

export function slowest({ parts }: WorstCase): Attack | undefined {
  let worst: { power: number; attack: Attack } | undefined;
  for (const bounds of parts)
    for (const bound of bounds)
      if (bound.kind === "bounded" && bound.attack !== undefined && bound.power > (worst?.power ?? 0))
        worst = { power: bound.power, attack: bound.attack };
  return worst?.attack;
}

/** The beginning of a long text shows enough. */
function quoted(text: string): string {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  return `'${JSON.stringify(shown).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')}'`;
}

export function attackText({ pumps, end }: Attack, length: number): string {
  const fixed = pumps.reduce((total, { before }) => total + before.length, end.length);
  const round = pumps.reduce((total, { pump }) => total + pump.length, 0);
  const times = Math.max(1, Math.floor((length - fixed) / Math.max(round, 1)));
  return pumps.map(({ before, pump }) => before + pump.repeat(times)).join("") + end;
}
