import { NOTHING, type Part } from "./part.js";

/** Minimum branches of a word list that is converted to a trie. */
const WORTH_IT = 4;

/** Characters of a branch that V8 compares at once; then it compares the whole branch, from its end. */
const AT_ONCE = 4;

interface Branching {
  next: Map<string, Step>;
  /** Branches that end here, or continue with a part that no other branch shares. */
  ends: Part[];
}

interface Step {
  first: Part & { kind: "set" };
  rest: Branching;
  /** Branches through it; `letters`: their characters. */
  through: number;
  letters: number;
}

/**
 * Branches share their beginnings, as V8 converts a list of words, so that a text is tried once. If a branch
 * is more than letters (`[wW]ord`, `word\d`), V8 tries each, and the shared beginnings carry those steps.
 */
export function asTrie(branches: readonly Part[]): Part {
  const [only] = branches;
  if (branches.length === 1 && only !== undefined) return only;
  if (branches.length < WORTH_IT) return { kind: "choice", branches };
  const root: Branching = { next: new Map(), ends: [] };
  for (const branch of branches) insert(root, letters(branch));
  if (branches.every(isWord)) return written(root, undefined);
  return {
    kind: "sequence",
    items: [{ kind: "guard", guard: 0, weight: branches.length }, written(root, 0)],
  };
}

/** V8 calls it an atom: only atoms share their beginnings. */
function isWord(branch: Part): boolean {
  return letters(branch).every(
    (part) =>
      part.kind === "set" &&
      part.set.properties.length === 0 &&
      part.set.ranges.length === 1 &&
      part.set.ranges.every(([from, to]) => from === to),
  );
}

function letters(part: Part): readonly Part[] {
  return part.kind === "sequence" ? part.items : [part];
}

function insert(root: Branching, items: readonly Part[]): void {
  let at = root;
  for (const [i, item] of items.entries()) {
    if (item.kind !== "set") {
      at.ends.push({ kind: "sequence", items: items.slice(i) });
      return;
    }
    const key = JSON.stringify([item.set.ranges, item.set.properties, item.set.negated]);
    let step = at.next.get(key);
    if (step === undefined) {
      step = { first: item, rest: { next: new Map(), ends: [] }, through: 0, letters: 0 };
      at.next.set(key, step);
    }
    step.through++;
    step.letters += items.length;
    at = step.rest;
  }
  at.ends.push(NOTHING);
}

/**
 * Single steps stay in one sequence, or long words would nest deeply. `depth`: position in branches;
 * undefined if V8 shares them.
 */
function written(root: Branching, depth: number | undefined): Part {
  const branches: Part[] = [];
  for (const step of root.next.values()) {
    let at = depth;
    const items: Part[] = [];
    let rest = root;
    for (let next: Step | undefined = step; next !== undefined; ) {
      items.push(weighed(next, at));
      if (at !== undefined) at++;
      rest = next.rest;
      const [only, second]: Step[] = [...rest.next.values()];
      next = second === undefined && rest.ends.length === 0 ? only : undefined;
    }
    const tail = written(rest, at);
    branches.push({ kind: "sequence", items: tail === NOTHING ? items : [...items, tail] });
  }
  const all = [...branches, ...root.ends];
  const [only, second] = all;
  if (only === undefined) return NOTHING;
  return second === undefined ? only : { kind: "choice", branches: all };
}

function weighed({ first, through, letters }: Step, depth: number | undefined): Part {
  if (depth === undefined || depth >= AT_ONCE) return first;
  const steps = depth === AT_ONCE - 1 ? through + letters : through;
  return { ...first, weight: steps * (first.weight ?? 1) };
}
