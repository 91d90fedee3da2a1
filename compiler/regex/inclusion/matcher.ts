import { type CharSet, setOf } from "../charset.js";
import { escapeClass } from "../classes.js";
import { Labels } from "../cost/labels.js";
import { GUARD } from "../cost/part.js";
import type { Positions } from "../cost/positions.js";
import { type Budget, spend } from "../cost/search.js";

/** Bytes of a request target (runtime/http/request-head.ts). */
const TARGET = setOf([[0x21, 0x7e]]);
/** First characters of a target: a path begins with a slash; "OPTIONS *" has no path. */
const FIRST_OF_PATH = setOf([
  [0x2a, 0x2a],
  [0x2f, 0x2f],
]);
const WORD = escapeClass("w", false) ?? setOf([]);

/** Characters of targets that no pattern of a list distinguishes. */
export interface Letter {
  class: number;
  isWord: boolean;
  beginsPath: boolean;
}

export class Alphabet {
  readonly letters: readonly Letter[];
  readonly #labels: Labels;

  constructor(patterns: readonly Positions[]) {
    const sets = new Set(patterns.flatMap(({ positions }) => positions.map(({ set }) => set)));
    this.#labels = new Labels([...sets, TARGET, FIRST_OF_PATH, WORD]);
    const told = [...new Set([...sets, FIRST_OF_PATH, WORD].map((set) => this.#labels.of(set)))];
    const letters = new Map<string, number>();
    for (const each of this.#labels.classes) {
      if (!this.#has(TARGET, each)) continue;
      const key = told.map((label) => (this.#labels.fits(label, each) ? "1" : "0")).join("");
      if (!letters.has(key)) letters.set(key, each);
    }
    this.letters = [...letters.values()].map((each) => ({
      class: each,
      isWord: this.#has(WORD, each),
      beginsPath: this.#has(FIRST_OF_PATH, each),
    }));
  }

  members(set: CharSet): boolean[] {
    const members = this.#labels.of(set);
    return this.letters.map((letter) => this.#labels.fits(members, letter.class));
  }

  #has(set: CharSet, each: number): boolean {
    return this.#labels.fits(this.#labels.of(set), each);
  }
}

interface Place {
  atStart: boolean;
  atEnd: boolean;
  isWordBefore: boolean;
  isWordBehind: boolean;
}

interface Entry {
  to: number;
  guard: number;
}

interface State {
  alive: readonly number[];
  atStart: boolean;
  isWordBefore: boolean;
}

/** State after a match: what follows changes nothing. */
export const MATCHED = 0;
const START = 1;

/** Search as a deterministic automaton that is built lazily; states are numbers. */
export class Matcher {
  readonly start = START;
  readonly #first: readonly Entry[];
  readonly #empty: readonly number[];
  readonly #budget: Budget;
  readonly #letters: readonly Letter[];
  /** By position: the letters of its set. */
  readonly #members: readonly (readonly boolean[])[];
  /** By position: links that leave it. */
  readonly #links: readonly (readonly Entry[])[];
  /** By position: guards of a match that ends there. */
  readonly #last: readonly number[][];
  readonly #canBeginLater: boolean;
  readonly #states: State[] = [
    { alive: [], atStart: false, isWordBefore: false },
    { alive: [], atStart: true, isWordBefore: false },
  ];
  readonly #numbers = new Map<string, number>();
  readonly #next: (number | undefined)[][] = [[], []];

  constructor(positions: Positions, alphabet: Alphabet, budget: Budget) {
    this.#first = positions.first.map(({ position, guard }) => ({ to: position, guard }));
    this.#empty = [...positions.empty.keys()];
    this.#budget = budget;
    this.#letters = alphabet.letters;
    this.#members = positions.positions.map(({ set }) => alphabet.members(set));
    const links: Entry[][] = positions.positions.map(() => []);
    for (const { from, to, guard } of positions.links) links[from]?.push({ to, guard });
    this.#links = links;
    const last: number[][] = positions.positions.map(() => []);
    for (const { position, guard } of positions.last) last[position]?.push(guard);
    this.#last = last;
    const beginnings = [...this.#first.map(({ guard }) => guard), ...this.#empty];
    this.#canBeginLater = beginnings.some((guard) => (guard & AT_START) === 0);
  }

  isDead(state: number): boolean {
    const { alive, atStart } = this.#state(state);
    return state !== MATCHED && alive.length === 0 && !atStart && !this.#canBeginLater;
  }

  matchesAtEnd(state: number): boolean {
    return state === MATCHED || this.#matchesAtEnd(this.#state(state));
  }

  next(state: number, letter: number): number {
    if (state === MATCHED) return MATCHED;
    const known = this.#next[state]?.[letter];
    if (known !== undefined) return known;
    const to = this.#walk(this.#state(state), letter);
    const leaving = this.#next[state];
    if (leaving !== undefined) leaving[letter] = to;
    return to;
  }

  #walk(state: State, letter: number): number {
    const isWordBehind = this.#letters[letter]?.isWord === true;
    const place: Place = { ...state, atEnd: false, isWordBehind };
    if (this.#matchesAt(state.alive, place)) return MATCHED;
    const alive: number[] = [];
    const enter = (entries: readonly Entry[]): void => {
      spend(this.#budget, entries.length);
      for (const { to, guard } of entries) {
        const fits = this.#members[to]?.[letter] === true && holds(guard, place);
        if (fits && !alive.includes(to)) alive.push(to);
      }
    };
    enter(this.#first);
    for (const from of state.alive) enter(this.#links[from] ?? []);
    spend(this.#budget, alive.length);
    alive.sort((a, b) => a - b);
    return this.#numberOf({ alive, atStart: false, isWordBefore: isWordBehind });
  }

  #matchesAtEnd(state: State): boolean {
    return this.#matchesAt(state.alive, { ...state, atEnd: true, isWordBehind: false });
  }

  #matchesAt(alive: readonly number[], place: Place): boolean {
    spend(this.#budget, alive.length);
    for (const guard of this.#empty) if (holds(guard, place)) return true;
    for (const position of alive)
      for (const guard of this.#last[position] ?? []) if (holds(guard, place)) return true;
    return false;
  }

  #numberOf(state: State): number {
    const key = `${state.isWordBefore ? "w" : ""}${state.alive.join()}`;
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    const number = this.#states.push(state) - 1;
    this.#next.push(new Array<number | undefined>(this.#letters.length).fill(undefined));
    this.#numbers.set(key, number);
    return number;
  }

  #state(number: number): State {
    return this.#states[number] ?? { alive: [], atStart: false, isWordBefore: false };
  }
}

const AT_START = GUARD.start | GUARD.lineStart;
/** Targets have no line feed, in front of which "$" could match. */
const AT_END = GUARD.end | GUARD.lineNext;

function holds(guard: number, { atStart, atEnd, isWordBefore, isWordBehind }: Place): boolean {
  if (guard === 0) return true;
  if (guard & AT_START && !atStart) return false;
  if (guard & AT_END && !atEnd) return false;
  if (guard & GUARD.boundary && isWordBefore === isWordBehind) return false;
  if (guard & GUARD.noBoundary && isWordBefore !== isWordBehind) return false;
  if (guard & GUARD.wordNext && !isWordBehind) return false;
  return (guard & GUARD.noWordNext) === 0 || !isWordBehind;
}
