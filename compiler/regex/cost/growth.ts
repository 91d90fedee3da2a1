import type { Automaton, Edge } from "./automaton.js";
import { type Components, componentsOf } from "./components.js";
import { NONE } from "./labels.js";
import { type Budget, search, spend } from "./search.js";

/** Labels of texts: repeating `pump` behind `before` multiplies the paths. */
export interface Pump {
  before: readonly number[];
  pump: readonly number[];
  from: number;
  to: number;
}

/**
 * Growth of the number of paths with the text: by the power `degree`, or exponential. A. Weber, H. Seidl, "On
 * the degree of ambiguity of finite automata", Theoretical Computer Science 88 (1991). EDA: two cycles of one
 * state over one word. IDA: p -v-> p, p -v-> q, q -v-> q; the degree is their longest chain.
 */
export type Growth =
  | { kind: "polynomial"; degree: number; pumps: readonly Pump[] }
  | { kind: "exponential"; pumps: readonly Pump[] };

/** @throws OutOfStepsError */
export function growthOf(automaton: Automaton, budget: Budget): Growth {
  const components = componentsOf(automaton);
  const analysis = new Analysis(automaton, components, budget);
  for (const states of components.cyclic) {
    if (states.length === 0 || !states.every((state) => automaton.roles[state] === "pumps")) continue;
    const pump = analysis.twoCycles(states);
    if (pump !== undefined) return { kind: "exponential", pumps: [pump] };
  }
  return analysis.longestChain();
}

class Analysis {
  readonly #automaton: Automaton;
  readonly #components: Components;
  readonly #budget: Budget;
  readonly #count: number;
  readonly #inside: readonly (readonly Edge[])[];

  constructor(automaton: Automaton, components: Components, budget: Budget) {
    this.#automaton = automaton;
    this.#components = components;
    this.#budget = budget;
    this.#count = automaton.edges.length;
    const { of } = components;
    this.#inside = automaton.edges.map((leaving, from) => leaving.filter(({ to }) => of[to] === of[from]));
  }

  /** A state of a loop that returns to itself by two paths over one text. */
  twoCycles(states: readonly number[]): Pump | undefined {
    const own = this.#components.of[states[0] ?? 0];
    const double = this.#doubledEdge(states);
    if (double !== undefined) return double;
    if (states.length === 1) return undefined;
    const back = new Map<number, [from: number, label: number][]>();
    const pairs = (node: number, found: (to: number, label: number) => void) => {
      const [a, b] = [Math.floor(node / this.#count), node % this.#count];
      for (const left of this.#inside[a] ?? [])
        for (const right of this.#inside[b] ?? []) {
          const label = this.#meet(left.label, right.label);
          spend(this.#budget, 1);
          if (label === NONE) continue;
          const to = left.to * this.#count + right.to;
          const known = back.get(to);
          if (known === undefined) back.set(to, [[node, label]]);
          else known.push([node, label]);
          found(to, label);
        }
    };
    const diagonal = states.map((state) => state * this.#count + state);
    const there = search(diagonal, pairs, this.#budget);
    const home = search(
      diagonal,
      (node, found) => {
        for (const [from, label] of back.get(node) ?? []) found(from, label);
      },
      this.#budget,
    );
    for (const node of there.nodes()) {
      if (Math.floor(node / this.#count) === node % this.#count || !home.has(node)) continue;
      const [start, end] = [there.root(node) % this.#count, home.root(node) % this.#count];
      const round = [...there.labels(node), ...home.labels(node).reverse(), ...this.#way(end, start, own)];
      return { before: this.#way(0, start), pump: round, from: start, to: start };
    }
    return undefined;
  }

  #doubledEdge(states: readonly number[]): Pump | undefined {
    for (const state of states) {
      const leaving = this.#inside[state] ?? [];
      for (const [i, edge] of leaving.entries()) {
        const other = leaving.find(
          (one, j) => j > i && one.to === edge.to && this.#meet(one.label, edge.label) !== NONE,
        );
        spend(this.#budget, leaving.length);
        if (edge.ways < 2 && other === undefined) continue;
        const label = other === undefined ? edge.label : this.#meet(other.label, edge.label);
        const own = this.#components.of[state];
        const round = [label, ...this.#way(edge.to, state, own)];
        return { before: this.#way(0, state), pump: round, from: state, to: state };
      }
    }
    return undefined;
  }

  /** Chain of loops, each of which may lead to the next after any iteration. */
  longestChain(): Growth {
    const { cyclic, next } = this.#components;
    const best: { degree: number; pumps: readonly Pump[] }[] = [];
    /* Successors have lower numbers. */
    for (let one = 0; one < cyclic.length; one++) {
      let longest: { degree: number; pumps: readonly Pump[] } = { degree: 0, pumps: [] };
      for (const to of next[one] ?? []) {
        const through = best[to];
        if (through !== undefined && through.degree > longest.degree) longest = through;
      }
      if (this.#isPumping(one))
        for (let other = 0; other < one; other++) {
          const onward = best[other]?.degree ?? 0;
          if (cyclic[other]?.length === 0 || onward + 1 <= longest.degree) continue;
          if (!this.#isEndless(other) || !this.#components.leads(one, other)) continue;
          const pump = this.#handsOver(one, other);
          if (pump === undefined) continue;
          const [next, ...later] = best[other]?.pumps ?? [];
          const rest =
            next === undefined ? [] : [{ ...next, before: this.#way(pump.to, next.from) }, ...later];
          longest = { degree: onward + 1, pumps: [pump, ...rest] };
        }
      best.push(longest);
    }
    const start = best[this.#components.of[0] ?? 0] ?? { degree: 0, pumps: [] };
    return { kind: "polynomial", ...start };
  }

  #isPumping(component: number): boolean {
    const states = this.#components.cyclic[component] ?? [];
    return states.length > 0 && states.every((state) => this.#automaton.roles[state] === "pumps");
  }

  #isEndless(component: number): boolean {
    const states = this.#components.cyclic[component] ?? [];
    return states.length > 0 && states.every((state) => this.#automaton.roles[state] !== "counted");
  }

  /** p -v-> p, p -v-> q and q -v-> q with p and q of two loops. */
  #handsOver(from: number, to: number): Pump | undefined {
    const n = this.#count;
    const triples = (node: number, found: (next: number, label: number) => void) => {
      const [a, b, c] = [Math.floor(node / n / n), Math.floor(node / n) % n, node % n];
      for (const first of this.#inside[a] ?? [])
        for (const last of this.#inside[c] ?? []) {
          const both = this.#meet(first.label, last.label);
          spend(this.#budget, 1);
          if (both !== NONE)
            this.#towards(b, to, both, (next, label) => found((first.to * n + next) * n + last.to, label));
        }
    };
    for (const q of this.#components.cyclic[to] ?? []) {
      if (!this.#joins(from, q)) continue;
      for (const p of this.#components.cyclic[from] ?? []) {
        const goal = (p * n + q) * n + q;
        const found = search([(p * n + p) * n + q], triples, this.#budget, (node) => node === goal);
        if (found.hit !== undefined)
          return { before: this.#way(0, p), pump: found.labels(goal), from: p, to: q };
      }
    }
    return undefined;
  }

  /** Some p of a loop leads to q over a text on which q returns to itself. Most pairs fail this cheap test. */
  #joins(from: number, q: number): boolean {
    const n = this.#count;
    const to = this.#components.of[q] ?? 0;
    const pairs = (node: number, found: (next: number, label: number) => void) => {
      for (const last of this.#inside[node % n] ?? [])
        this.#towards(Math.floor(node / n), to, last.label, (next, label) =>
          found(next * n + last.to, label),
        );
    };
    const starts = (this.#components.cyclic[from] ?? []).map((p) => p * n + q);
    const goal = q * n + q;
    return search(starts, pairs, this.#budget, (node) => node === goal).hit !== undefined;
  }

  #towards(
    state: number,
    component: number,
    label: number,
    found: (next: number, label: number) => void,
  ): void {
    const { of, leads } = this.#components;
    for (const edge of this.#edges(state)) {
      const shared = this.#meet(label, edge.label);
      spend(this.#budget, 1);
      if (shared !== NONE && leads(of[edge.to] ?? 0, component)) found(edge.to, shared);
    }
  }

  #way(from: number, to: number, within?: number): number[] {
    if (from === to) return [];
    const expand = (state: number, found: (next: number, label: number) => void) => {
      for (const edge of this.#edges(state))
        if (within === undefined || this.#components.of[edge.to] === within) found(edge.to, edge.label);
    };
    const trail = search([from], expand, this.#budget, (state) => state === to);
    return trail.hit === undefined ? [] : trail.labels(to);
  }

  #edges(state: number): readonly Edge[] {
    return this.#automaton.edges[state] ?? [];
  }

  #meet(a: number, b: number): number {
    return this.#automaton.labels.meet(a, b);
  }
}
