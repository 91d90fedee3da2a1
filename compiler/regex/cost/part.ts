import type { CharSet } from "../charset.js";

/** Conditions between two characters; several bits must all hold. Others are assumed to hold. */
export const GUARD = {
  start: 1,
  boundary: 2,
  noBoundary: 4,
  wordNext: 8,
  noWordNext: 16,
  lineStart: 32,
  /** A line feed comes next, if anything does. */
  lineNext: 64,
  end: 128,
} as const;

/**
 * Pattern in regular terms, on which an engine tries at least as much as on the pattern itself. It has no
 * captures, lookarounds and backreferences; atomic groups are runs over the characters that they may consume.
 */
export type Part =
  /** Steps that it represents; 1 if absent. */
  | { kind: "set"; set: CharSet; weight?: number }
  | { kind: "sequence"; items: readonly Part[] }
  | { kind: "choice"; branches: readonly Part[] }
  | { kind: "guard"; guard: number; weight?: number }
  /**
   * `max`: Infinity without a limit. `notThen`: cannot follow a possessive run. `weight`: steps of each
   * iteration in addition to those of its body; 0 if absent.
   */
  | { kind: "repeat"; body: Part; min: number; max: number; notThen?: CharSet; weight?: number }
  /** Any number of these characters on a single path: an atomic group or a backreference. */
  | { kind: "once"; set: CharSet; empty: boolean; notThen?: CharSet };

export const NOTHING: Part = { kind: "sequence", items: [] };

export function isEndless(part: Part): boolean {
  switch (part.kind) {
    case "sequence":
      return part.items.some(isEndless);
    case "choice":
      return part.branches.some(isEndless);
    case "repeat":
      return part.max === Number.POSITIVE_INFINITY || isEndless(part.body);
    case "once":
      return true;
    default:
      return false;
  }
}

export function canBeEmpty(part: Part): boolean {
  switch (part.kind) {
    case "set":
      return false;
    case "guard":
      return true;
    case "sequence":
      return part.items.every(canBeEmpty);
    case "choice":
      return part.branches.some(canBeEmpty);
    case "once":
      return part.empty;
    case "repeat":
      return part.min === 0 || canBeEmpty(part.body);
  }
}

/** Characters after unrolling; the caller replaces Infinity by a limit. */
export function sizeOf(part: Part): number {
  switch (part.kind) {
    case "set":
    case "once":
      return 1;
    case "guard":
      return 0;
    case "sequence":
      return part.items.reduce((total, item) => total + sizeOf(item), 0);
    case "choice":
      return part.branches.reduce((total, branch) => total + sizeOf(branch), 0);
    case "repeat":
      return sizeOf(part.body) * (part.max === Number.POSITIVE_INFINITY ? Math.max(part.min, 1) : part.max);
  }
}

/** Maximum characters of a counted repetition that is unrolled. */
const MAX_UNROLLED = 64;

/** Otherwise the automaton has a loop instead of each iteration. */
export function isUnrolled(part: Part & { kind: "repeat" }): boolean {
  return part.max !== Number.POSITIVE_INFINITY && sizeOf(part) <= MAX_UNROLLED;
}
