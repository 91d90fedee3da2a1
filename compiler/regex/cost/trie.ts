import { NOTHING, type Part } from "./part.js";

/** Branches from which on a list of words is written as a trie. */
const WORTH_IT = 4;

interface Branching {
  /** By the text of the first part. */
  next: Map<string, { first: Part; rest: Branching }>;
  /** A branch that ends here, or goes on with what no other branch shares. */
  ends: Part[];
}

/** A choice whose branches share what they begin with: what V8 makes of a list of words, so that one text is tried once. */
export function asTrie(branches: readonly Part[]): Part {
  const [only] = branches;
  if (branches.length === 1 && only !== undefined) return only;
  if (branches.length < WORTH_IT) return { kind: "choice", branches };
  const root: Branching = { next: new Map(), ends: [] };
  for (const branch of branches) insert(root, letters(branch));
  return written(root);
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
      step = { first: item, rest: { next: new Map(), ends: [] } };
      at.next.set(key, step);
    }
    at = step.rest;
  }
  at.ends.push(NOTHING);
}

/** Deep words nest: lists of single steps stay one sequence. */
function written(root: Branching): Part {
  const branches: Part[] = [];
  for (const { first, rest } of root.next.values()) {
    const items: Part[] = [first];
    let at = rest;
    for (;;) {
      const [step, second] = [...at.next.values()];
      if (step === undefined || second !== undefined || at.ends.length > 0) break;
      items.push(step.first);
      at = step.rest;
    }
    const tail = written(at);
    branches.push({ kind: "sequence", items: tail === NOTHING ? items : [...items, tail] });
  }
  const all = [...branches, ...root.ends];
  const [only, second] = all;
  if (only === undefined) return NOTHING;
  return second === undefined ? only : { kind: "choice", branches: all };
}
