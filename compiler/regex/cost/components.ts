import type { Automaton } from "./automaton.js";

export interface Components {
  /** Component of each state. No component leads to one with a higher number. */
  of: readonly number[];
  /** States of each component that has a cycle; empty for a state that is passed once. */
  cyclic: readonly (readonly number[])[];
  leads(a: number, b: number): boolean;
  next: readonly ReadonlySet<number>[];
}

/** Tarjan's algorithm, with an explicit stack: patterns can be long. */
export function componentsOf({ edges }: Pick<Automaton, "edges">): Components {
  const of: number[] = new Array<number>(edges.length).fill(-1);
  const members = strongComponents(edges, of);
  const next = members.map(() => new Set<number>());
  const looped = new Set<number>();
  for (const [from, leaving] of edges.entries())
    for (const { to } of leaving) {
      if (of[from] === of[to]) looped.add(of[from] ?? -1);
      else next[of[from] ?? 0]?.add(of[to] ?? 0);
    }
  const cyclic = members.map((states, i) => (looped.has(i) ? states : []));
  const reached = new Map<number, ReadonlySet<number>>();
  const from = (a: number): ReadonlySet<number> => {
    let known = reached.get(a);
    if (known === undefined) reached.set(a, (known = reachable(next, a)));
    return known;
  };
  return { of, cyclic, next, leads: (a, b) => a === b || from(a).has(b) };
}

function reachable(next: readonly ReadonlySet<number>[], from: number): ReadonlySet<number> {
  const found = new Set<number>();
  const open = [from];
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const to of next[at] ?? []) {
      if (found.has(to)) continue;
      found.add(to);
      open.push(to);
    }
  return found;
}

function strongComponents(edges: Automaton["edges"], of: number[]): number[][] {
  const members: number[][] = [];
  const index: number[] = [];
  const low: number[] = [];
  const stack: number[] = [];
  let count = 0;
  for (let root = 0; root < edges.length; root++) {
    if (index[root] !== undefined) continue;
    const work: [state: number, edge: number][] = [[root, 0]];
    while (work.length > 0) {
      const frame = work[work.length - 1] as [number, number];
      const [state] = frame;
      if (frame[1] === 0) {
        index[state] = low[state] = count++;
        stack.push(state);
      }
      const to = edges[state]?.[frame[1]++]?.to;
      if (to !== undefined) {
        if (index[to] === undefined) work.push([to, 0]);
        else if (of[to] === -1) low[state] = Math.min(low[state] ?? 0, index[to] ?? 0);
        continue;
      }
      work.pop();
      const parent = work[work.length - 1]?.[0];
      if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[state] ?? 0);
      if (low[state] === index[state]) members.push(closed(stack, state, of, members.length));
    }
  }
  return members;
}

function closed(stack: number[], root: number, of: number[], number: number): number[] {
  const states: number[] = [];
  for (;;) {
    const state = stack.pop();
    if (state === undefined) return states;
    of[state] = number;
    states.push(state);
    if (state === root) return states;
  }
}
