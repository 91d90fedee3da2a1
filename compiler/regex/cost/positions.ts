import { type CharSet, disjoint } from "../charset.js";
import { isEndless, isWrittenOut, type Part } from "./part.js";

/** A place in the pattern that takes one character (Glushkov). */
export interface Position {
  set: CharSet;
  role: Role;
  /** How often it stands in the pattern once the counts that are not written out are: an engine without counters has each. */
  copies: number;
  /** It is all that a counted repetition repeats, and in no other one. */
  alone: boolean;
}

/**
 * What a loop at a position does to the number of ways: "pumps" can make it grow at each round; "runs" goes one way only, but
 * for as long as the text lasts (an atomic group that is passed once); "counted" has a limit.
 */
export type Role = "pumps" | "runs" | "counted";

/** A step between positions that follow each other; `ways` 2 stands for two or more. */
export interface Link {
  from: number;
  to: number;
  ways: number;
  guard: number;
  notThen: CharSet | undefined;
}

interface Entry {
  position: number;
  ways: number;
  guard: number;
  notThen?: CharSet | undefined;
}

/** A part as its places at the edges. `empty`: ways to pass it without a character, by guard. */
interface Fragment {
  first: readonly Entry[];
  last: readonly Entry[];
  empty: ReadonlyMap<number, number>;
}

export interface Positions {
  positions: Position[];
  links: Link[];
  first: readonly Entry[];
  last: readonly Entry[];
  /** What it took: places that were passed on, and links. */
  work: number;
}

const MAX_POSITIONS = 4_000;
const MAX_LINKS = 200_000;
/** Places at the edges that are passed on: each of a thousand parts that may be empty has those of all before it. */
const MAX_PASSED = 1_000_000;

/** The pattern is too large to be looked at. */
export class TooLarge extends Error {}

/**
 * Glushkov's positions of a part. Links that arise twice stay two, or `(a+)+` would look as harmless as `a+`.
 * @param open counted repetitions count as if they had no limit
 * @throws TooLarge
 */
export function positionsOf(part: Part, open: boolean): Positions {
  const builder = new Builder(open);
  const { first, last } = builder.of(part, open ? "endless" : "straight");
  return {
    positions: builder.positions,
    links: builder.links,
    first,
    last,
    work: builder.passed + builder.links.length,
  };
}

/** Where a part stands: passed once; within a counted loop; within one without limit. */
type Nesting = "straight" | "counted" | "endless";

const EMPTY: Fragment = { first: [], last: [], empty: new Map([[0, 1]]) };

class Builder {
  readonly positions: Position[] = [];
  readonly links: Link[] = [];
  readonly #open: boolean;
  /** Of what is read now. */
  #copies = 1;
  #alone = false;
  passed = 0;

  constructor(open: boolean) {
    this.#open = open;
  }

  of(part: Part, around: Nesting): Fragment {
    switch (part.kind) {
      case "set":
        return this.#position(part.set, around === "counted" ? "counted" : "pumps");
      case "guard":
        return { ...EMPTY, empty: new Map([[part.guard, 1]]) };
      case "sequence":
        return part.items.reduce<Fragment>(
          (before, item) => this.#joined(before, this.of(item, around)),
          EMPTY,
        );
      case "choice":
        return either(part.branches.map((branch) => this.of(branch, around)));
      case "once":
        return this.#once(part, around);
      case "repeat":
        return this.#repeat(part, around);
    }
  }

  #position(set: CharSet, role: Role): Fragment {
    if (this.positions.length >= MAX_POSITIONS) throw new TooLarge();
    const position = this.positions.push({ set, role, copies: this.#copies, alone: this.#alone }) - 1;
    const entry = [{ position, ways: 1, guard: 0 }];
    return { first: entry, last: entry, empty: new Map() };
  }

  #once(part: Part & { kind: "once" }, around: Nesting): Fragment {
    const one = this.#position(part.set, around === "endless" ? "pumps" : "runs");
    this.#link(one.last, one.first);
    const last = one.last.map((entry) => ({ ...entry, notThen: part.notThen }));
    return { ...one, last, empty: new Map(part.empty ? [[0, 1]] : []) };
  }

  #repeat(part: Part & { kind: "repeat" }, around: Nesting): Fragment {
    const { body, min, max } = part;
    const endless = max === Number.POSITIVE_INFINITY;
    if (isWrittenOut(part)) return this.#writtenOut(part, around);
    const start: Part & { kind: "repeat" } = { kind: "repeat", body, min: min - 1, max: min - 1 };
    if (endless && min > 1 && isWrittenOut(start)) {
      const before = this.#writtenOut(start, around);
      return this.#joined(before, this.#repeat({ ...part, min: 1 }, around));
    }
    const counted = !endless && !this.#open && around !== "endless" && !isEndless(body);
    const outside = this.#copies;
    this.#copies *= Math.max(1, endless ? min : max);
    this.#alone = outside === 1 && body.kind === "set";
    const inside = this.of(body, counted ? "counted" : "endless");
    this.#copies = outside;
    this.#alone = false;
    this.#link(inside.last, inside.first);
    const stop = part.notThen;
    const last = stop === undefined ? inside.last : inside.last.map((entry) => ({ ...entry, notThen: stop }));
    return { first: inside.first, last, empty: min === 0 ? new Map([[0, 1]]) : inside.empty };
  }

  /** `x{2,4}` is `xx(?:x(?:x)?)?`. */
  #writtenOut({ body, min, max }: Part & { kind: "repeat" }, around: Nesting): Fragment {
    let tail: Fragment = EMPTY;
    for (let i = min; i < max; i++) {
      const more = this.#joined(this.of(body, around), tail);
      tail = { ...more, empty: added(more.empty, EMPTY.empty) };
    }
    for (let i = 0; i < min; i++) tail = this.#joined(this.of(body, around), tail);
    return tail;
  }

  #joined(before: Fragment, after: Fragment): Fragment {
    this.#link(before.last, after.first);
    this.passed += before.first.length + before.empty.size * after.first.length;
    this.passed += after.last.length + after.empty.size * before.last.length;
    if (this.passed > MAX_PASSED) throw new TooLarge();
    const empty = new Map<number, number>();
    for (const [guard, ways] of before.empty)
      for (const [next, more] of after.empty)
        empty.set(guard | next, Math.min(2, (empty.get(guard | next) ?? 0) + ways * more));
    return {
      first: [...before.first, ...passing(before.empty, after.first)],
      last: [...passing(after.empty, before.last), ...after.last],
      empty,
    };
  }

  #link(last: readonly Entry[], first: readonly Entry[]): void {
    if (this.links.length + last.length * first.length > MAX_LINKS) throw new TooLarge();
    for (const from of last)
      for (const to of first) {
        const set = this.positions[to.position]?.set;
        if (set !== undefined && from.notThen !== undefined && within(set, from.notThen)) continue;
        const ways = Math.min(2, from.ways * to.ways);
        const { notThen } = from;
        this.links.push({
          from: from.position,
          to: to.position,
          ways,
          guard: from.guard | to.guard,
          notThen,
        });
      }
  }
}

function either(branches: readonly Fragment[]): Fragment {
  return {
    first: branches.flatMap(({ first }) => first),
    last: branches.flatMap(({ last }) => last),
    empty: branches.map(({ empty }) => empty).reduce(added, new Map()),
  };
}

function added(a: ReadonlyMap<number, number>, b: ReadonlyMap<number, number>): Map<number, number> {
  const sum = new Map(a);
  for (const [guard, ways] of b) sum.set(guard, Math.min(2, (sum.get(guard) ?? 0) + ways));
  return sum;
}

/** What is reached through a part that may be empty. */
function passing(empty: ReadonlyMap<number, number>, entries: readonly Entry[]): Entry[] {
  return [...empty].flatMap(([guard, ways]) =>
    entries.map((entry) => ({
      ...entry,
      guard: entry.guard | guard,
      ways: Math.min(2, entry.ways * ways),
    })),
  );
}

function within(set: CharSet, other: CharSet): boolean {
  if (set.properties.length > 0 || other.properties.length > 0 || disjoint(set, other)) return false;
  return set.ranges.every(([from, to]) => other.ranges.some(([low, high]) => low <= from && to <= high));
}
