import type { ReplacementPart } from "./regex.js";

/** Nanoseconds that filters may take for a body, or a slice of one, before an event loop has to go on: half of a pause of 20 ms. */
const SHARE_NS = 10_000_000;
/** For each match of `String.prototype.replace`: 40 to 80, measured on one core of a 2.1 GHz Xeon, as what follows. */
const MATCH_NS = 60;
/** For each byte that is written, until it is on its way. */
export const WRITE_NS = 2;
/** Longest text that is told from an endless one. */
const MOST = 67_108_864;
/** Slices below this are work of their own. */
const MIN_IN_PIECES = 1_024;

/** The longest text that takes no more than the share; `nanoseconds` grows with the length. */
export function maxSyncBytes(nanoseconds: (length: number) => number): number {
  let [low, high] = [0, MOST];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (nanoseconds(middle) <= SHARE_NS) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** What a pattern may cost where it goes through a body. */
export interface SearchCost {
  /** The longest text that its searches go through in the share. */
  atOnce: number;
  /** Fewest bytes of a match. */
  shortest: number;
}

/** What a rule of a filter may cost. */
export interface RuleCost extends SearchCost {
  scope: "once" | "global";
  replacement: readonly ReplacementPart[];
}

/**
 * The longest text that all rules of a filter get through in the share together, one after another: each has the text that
 * the one before may have made longer.
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

/** Bytes that a byte of text can become when all of it is matched. */
function growthOf(replacement: readonly ReplacementPart[], matches: number): number {
  return replacement.reduce(
    (total, part) => total + ("literal" in part ? part.literal.length * matches : 1),
    0,
  );
}

/** Whether slices can be so small that each is filtered in its share: one look goes over twice the window. */
export function worksInPieces(
  atOnce: number,
  { window, behind }: { window: number; behind: number },
): boolean {
  return atOnce >= Math.max(MIN_IN_PIECES, 2 * window + behind);
}
