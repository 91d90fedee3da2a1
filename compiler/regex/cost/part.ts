import type { CharSet } from "../charset.js";

/** What must hold between two characters; several bits must all hold. Whatever is not named here is taken to hold. */
export const GUARD = {
  start: 1,
  boundary: 2,
  noBoundary: 4,
  wordNext: 8,
  noWordNext: 16,
  lineStart: 32,
  /** A line feed comes next, if anything does. */
  lineNext: 64,
  /** Nothing comes next. */
  end: 128,
} as const;

/**
 * A pattern in regular terms: what a backtracking engine tries on it is no more than what it tries on this. Captures,
 * look-arounds and back references are gone, atomic groups are runs over the characters that they may take.
 */
export type Part =
  /** `weight`: steps that it stands for, 1 when absent. */
  | { kind: "set"; set: CharSet; weight?: number }
  | { kind: "sequence"; items: readonly Part[] }
  | { kind: "choice"; branches: readonly Part[] }
  | { kind: "guard"; guard: number; weight?: number }
  /**
   * `max` is Infinity without an upper limit. `notThen`: a possessive run, behind which none of these comes. `weight`: steps of
   * each round besides those of its body, 0 when absent.
   */
  | { kind: "repeat"; body: Part; min: number; max: number; notThen?: CharSet; weight?: number }
  /** Any number of these characters, but one way only to take them: an atomic group or a back reference. */
  | { kind: "once"; set: CharSet; empty: boolean; notThen?: CharSet };

export const NOTHING: Part = { kind: "sequence", items: [] };

/** Whether a part may run on for as long as the text does. */
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

/** Whether a part may match without taking a character. */
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

/** Characters of a part when its counted repetitions are written out; Infinity never, a limit is the caller's. */
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

/** Counted repetitions of at most so many characters are written out. */
const WRITTEN_OUT = 64;

/** Whether the automaton has the rounds of a repetition one by one; it counts as a loop otherwise. */
export function isUnrolled(part: Part & { kind: "repeat" }): boolean {
  return part.max !== Number.POSITIVE_INFINITY && sizeOf(part) <= WRITTEN_OUT;
}
