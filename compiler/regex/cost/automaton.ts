import { type CharSet, setOf, single } from "../charset.js";
import { escapeClass, LINE_FEED } from "../classes.js";
import { Labels, NONE } from "./labels.js";
import { GUARD, type Part } from "./part.js";
import { type Counts, type Link, type Positions, positionsOf, type Role } from "./positions.js";

export interface Edge {
  to: number;
  label: number;
  ways: number;
}

/** Search for a pattern, without empty transitions: each path through it is one that the engine tries. */
export interface Automaton {
  labels: Labels;
  /** Edges by the state that they leave; state 0 is the beginning of the text. */
  edges: readonly (readonly Edge[])[];
  roles: readonly Role[];
  copies: readonly number[];
  /** Position of each state that is a counted run over one set. */
  runs: readonly (number | undefined)[];
  /** States in which a search waits for a later start. */
  waiting: readonly boolean[];
  /** For the next character: the steps of the state, and of everything that the engine tries behind it. */
  steps: readonly number[];
  /** Maximum characters of the counted loop of each state; Infinity for other states. */
  limits: readonly number[];
  work: number;
  /** Each path through the pattern is one through the automaton; if false, the pattern may have more. */
  exact: boolean;
}

type Class = "word" | "line" | "other";

const WORD = escapeClass("w", false) ?? setOf([]);
const LINE = single(LINE_FEED);
const WORD_GUARDS = GUARD.boundary | GUARD.noBoundary | GUARD.wordNext | GUARD.noWordNext;

/** @throws TooLargeError */
export function automatonOf(part: Part, counts: Counts): Automaton {
  return new Assembly(positionsOf(part, counts)).automaton();
}

interface State {
  position: number;
  class: Class | undefined;
  label: number;
}

const BEGINNING = -1;
const WAITING = -2;

class Assembly {
  readonly #labels: Labels;
  readonly #classes: readonly (Class | undefined)[];
  readonly #states: State[] = [];
  readonly #byPosition = new Map<number, number[]>();
  readonly #edges: Edge[][] = [];
  readonly #from: Positions;

  constructor(positions: Positions) {
    this.#from = positions;
    const { links, first } = positions;
    const guards = [...links, ...first].reduce((all, { guard }) => all | guard, 0);
    const words = (guards & WORD_GUARDS) !== 0;
    const lines = (guards & (GUARD.lineStart | GUARD.lineNext)) !== 0;
    this.#classes =
      words || lines
        ? [...(words ? ["word" as const] : []), ...(lines ? ["line" as const] : []), "other"]
        : [undefined];
    const sets: CharSet[] = [...positions.positions.map(({ set }) => set), WORD, LINE];
    for (const { notThen } of links) if (notThen !== undefined) sets.push(notThen);
    this.#labels = new Labels(new Set(sets));
  }

  automaton(): Automaton {
    this.#add(BEGINNING, this.#classes.at(-1), this.#labels.everything);
    for (const each of this.#classes) this.#add(WAITING, each, this.#classLabel(each));
    for (const [position, { set }] of this.#from.positions.entries())
      for (const each of this.#classes) {
        const label = this.#labels.meet(this.#labels.of(set), this.#classLabel(each));
        if (label !== NONE) this.#add(position, each, label);
      }
    this.#wait();
    for (const { position, ways, guard } of this.#from.first)
      this.#connect({ from: WAITING, to: position, ways, guard });
    for (const { position, ways, guard } of this.#from.first)
      this.#connect({ from: BEGINNING, to: position, ways, guard });
    for (const link of this.#from.links) this.#connect(link);
    const steps = this.#stepsByPosition();
    return {
      labels: this.#labels,
      edges: this.#edges,
      copies: this.#states.map(({ position }) => this.#from.positions[position]?.copies ?? 1),
      runs: this.#states.map(({ position }) =>
        this.#from.positions[position]?.alone === true ? position : undefined,
      ),
      steps: this.#states.map(({ position }) => steps.get(Math.max(position, BEGINNING)) ?? 1),
      limits: this.#states.map(
        ({ position }) => this.#from.positions[position]?.limit ?? Number.POSITIVE_INFINITY,
      ),
      exact: this.#from.exact,
      roles: this.#states.map(({ position }) => this.#from.positions[position]?.role ?? "pumps"),
      waiting: this.#states.map(({ position }) => position < 0),
      work: this.#from.work,
    };
  }

  /** By position; -1 has those of the waiting search. */
  #stepsByPosition(): ReadonlyMap<number, number> {
    const { links, first, last, empty } = this.#from;
    const steps = new Map<number, number>();
    const add = (position: number, weight: number) =>
      steps.set(position, (steps.get(position) ?? 1) + weight);
    for (const { from, weight } of links) add(from, weight);
    for (const { position, weight } of last) add(position, weight);
    for (const { weight } of [...first, ...empty.values()]) add(BEGINNING, weight);
    return steps;
  }

  #add(position: number, each: Class | undefined, label: number): void {
    const state = this.#states.push({ position, class: each, label }) - 1;
    this.#edges.push([]);
    const known = this.#byPosition.get(position);
    if (known === undefined) this.#byPosition.set(position, [state]);
    else known.push(state);
  }

  #classLabel(each: Class | undefined): number {
    if (each === undefined) return this.#labels.everything;
    if (each === "word") return this.#labels.of(WORD);
    if (each === "line") return this.#labels.of(LINE);
    const rest = this.#classes.includes("word")
      ? this.#labels.without(this.#labels.everything, this.#labels.of(WORD))
      : this.#labels.everything;
    return this.#classes.includes("line") ? this.#labels.without(rest, this.#labels.of(LINE)) : rest;
  }

  /** Edges by which the search advances one character. A pattern that only matches at the beginning is tried once. */
  #wait(): void {
    if (this.#from.first.every(({ guard }) => (guard & GUARD.start) !== 0)) return;
    const waiting = this.#byPosition.get(WAITING) ?? [];
    for (const from of [...(this.#byPosition.get(BEGINNING) ?? []), ...waiting])
      for (const to of waiting)
        this.#edges[from]?.push({ to, label: this.#states[to]?.label ?? NONE, ways: 1 });
  }

  #connect({
    from,
    to,
    ways,
    guard,
    notThen,
  }: Omit<Link, "weight" | "notThen"> & Pick<Partial<Link>, "notThen">): void {
    if (guard & GUARD.start && from !== BEGINNING) return;
    for (const source of this.#byPosition.get(from) ?? [])
      for (const target of this.#byPosition.get(to) ?? []) {
        const { class: before } = this.#states[source] ?? {};
        const { class: after, label: all = NONE } = this.#states[target] ?? {};
        if (!isAllowed(guard, before, after, from === BEGINNING)) continue;
        const known = notThen !== undefined && notThen.properties.length === 0;
        const label = known ? this.#labels.without(all, this.#labels.of(notThen)) : all;
        if (label !== NONE) this.#edges[source]?.push({ to: target, label, ways });
      }
  }
}

function isAllowed(
  guard: number,
  before: Class | undefined,
  after: Class | undefined,
  beginning: boolean,
): boolean {
  if (guard & GUARD.end) return false;
  if (guard & GUARD.lineNext && after !== "line") return false;
  if (guard & GUARD.lineStart && !beginning && before !== "line") return false;
  if ((guard & WORD_GUARDS) === 0) return true;
  const [was, is] = [before === "word" && !beginning, after === "word"];
  if (guard & GUARD.boundary && was === is) return false;
  if (guard & GUARD.noBoundary && was !== is) return false;
  if (guard & GUARD.wordNext && !is) return false;
  return (guard & GUARD.noWordNext) === 0 || !is;
}
