/** Load at one byte: each position of the pattern that is alive, and each that it leads to. */
import type { Node } from "../ast.js";
import { type Automaton, automatonOf } from "../cost/automaton.js";
import { TooLargeError } from "../cost/positions.js";
import { regularParts } from "../cost/regular.js";
import { Overlap } from "./overlap.js";

/** Maximum sets of positions that are examined; beyond it a bound is used instead. */
const MAX_SETS = 400;
const MAX_WORK = 200_000;
/** Maximum characters of all labels: 0.3 s. */
const MAX_CHARACTERS = 20_000_000;

/**
 * Maximum over all sets of positions that can be alive together. If those are too many, over all positions
 * that one character can make alive.
 */
export function loadOf(node: Node): number {
  const [main] = regularParts(node);
  try {
    const automaton = automatonOf(main.part, "closed");
    const overlap = new Overlap(automaton);
    return byTexts(automaton, overlap) ?? byCharacters(automaton, overlap);
  } catch (error) {
    if (error instanceof TooLargeError) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

/** Copies of states that are alive together, each with its successors. */
function totalOf({ edges }: Automaton, overlap: Overlap, alive: Iterable<number>): number {
  let total = 0;
  for (const state of alive) total += overlap.of(state) * (1 + (edges[state]?.length ?? 0));
  return total;
}

function byTexts(automaton: Automaton, overlap: Overlap): number | undefined {
  const { edges, labels } = automaton;
  const seen = new Set<string>(["0"]);
  const open: number[][] = [[0]];
  let [most, work] = [0, 0];
  for (let set = open.pop(); set !== undefined; set = open.pop()) {
    const leaving = set.flatMap((state) => edges[state] ?? []);
    most = Math.max(most, totalOf(automaton, overlap, set));
    for (const each of labels.classes) {
      work += leaving.length;
      const next = new Set(leaving.flatMap(({ to, label }) => (labels.fits(label, each) ? [to] : [])));
      const sorted = [...next].sort((a, b) => a - b);
      const key = sorted.join();
      if (seen.has(key)) continue;
      if (seen.size >= MAX_SETS || work > MAX_WORK) return undefined;
      seen.add(key);
      open.push(sorted);
    }
  }
  return most;
}

/** @throws TooLargeError */
function byCharacters(automaton: Automaton, overlap: Overlap): number {
  const { edges, labels } = automaton;
  const entering = edges.map(() => new Set<number>());
  for (const { to, label } of edges.flat()) entering[to]?.add(label);
  const totals = labels.classes.map(() => 0);
  const last = labels.classes.map(() => -1);
  let work = 0;
  for (const [state, own] of entering.entries()) {
    const load = totalOf(automaton, overlap, [state]);
    for (const label of own) {
      const classes = labels.classesOf(label);
      work += classes.length;
      if (work > MAX_CHARACTERS) throw new TooLargeError();
      for (const each of classes) {
        if (last[each] === state) continue;
        last[each] = state;
        totals[each] = (totals[each] ?? 0) + load;
      }
    }
  }
  return totals.reduce((most, total) => Math.max(most, total), 0);
}
