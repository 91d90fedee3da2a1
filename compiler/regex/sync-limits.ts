/** For a body, or a slice of one, before a filter yields: half of a pause of 20 ms. */
const SHARE_NS = 10_000_000;
/**
 * Nanoseconds of a match of `String.prototype.replace`: 40 to 80. All values are measured on one core of a
 * 2.1 GHz Xeon.
 */
const MATCH_NS = 60;

/** Nanoseconds for each byte that is written, until it is sent. */
import type { ReplacementPart } from "../model/plan.js";
export const WRITE_NS = 2;
/** Longer texts count as unlimited. */
const MOST = 67_108_864;
/** Smaller slices cause more work than they save. */
const MIN_IN_PIECES = 1_024;

/** Longest text whose time is within the share; `nanoseconds` grows with the length. */
export function maxSyncBytes(nanoseconds: (length: number) => number): number {
  let [low, high] = [0, MOST];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (nanoseconds(middle) <= SHARE_NS) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface SearchCost {
  atOnce: number;
  /** Minimum bytes of a match. */
  shortest: number;
}

export interface RuleCost extends SearchCost {
  scope: "once" | "global";
  replacement: readonly ReplacementPart[];
}

/**
 * Longest text that all rules of a filter handle within the share, each on the text that the previous one may
 * have made longer.
 */
export function maxSyncFilterBytes(rules: readonly RuleCost[]): number {
  let [nanoseconds, growth] = [0, 1];
  for (const { atOnce, shortest, scope, replacement } of rules) {
    const matches = scope === "global" ? 1 / Math.max(shortest, 1) : 0;
    const grown = Math.max(1, growthOf(replacement, matches) + (shortest === 0 ? 1 : 0));
    nanoseconds += growth * (SHARE_NS / atOnce + matches * MATCH_NS + grown * WRITE_NS);
    growth *= grown;
  }
  return Math.floor(SHARE_NS / nanoseconds);
}

/** Maximum output per byte of text, if all of it is matched. */
function growthOf(replacement: readonly ReplacementPart[], matches: number): number {
  return replacement.reduce(
    (total, part) => total + ("literal" in part ? part.literal.length * matches : 1),
    0,
  );
}

/** Each slice is filtered within the share: a search examines up to twice the window. */
export function worksInPieces(
  atOnce: number,
  { window, behind }: { window: number; behind: number },
): boolean {
  return atOnce >= Math.max(MIN_IN_PIECES, 2 * window + behind);
}
