import { type CharSet, disjoint } from "../charset.js";
import { canBeEmpty, isEndless, isUnrolled, type Part, sizeOf } from "./part.js";

/** Consumes one character (Glushkov). */
interface AutomatonPosition {
  set: CharSet;
  role: Role;
  /** Copies if all counts were unrolled: an engine without counters has each of them. */
  copies: number;
  /** It is the whole body of a counted repetition, and of no other one. */
  alone: boolean;
  /** Maximum characters each time that its counted loop is entered; Infinity elsewhere. */
  limit: number;
}

/**
 * Effect of a loop on the number of paths. "pumps" can multiply them at each iteration; "runs" has one path
 * but is as long as the text (an atomic group that is passed once); "counted" has a limit.
 */
export type Role = "pumps" | "runs" | "counted";

export interface Link {
  from: number;
  to: number;
  /** Number of paths, up to `MAX_WAYS`. */
  ways: number;
  /** Steps to try all of them: the character, and guards and captures in front of it. */
  weight: number;
  guard: number;
  notThen: CharSet | undefined;
}

/** Number of paths, and the steps that all of them take. */
interface Ways {
  ways: number;
  weight: number;
}

interface Entry extends Ways {
  position: number;
  guard: number;
  notThen?: CharSet | undefined;
}

type Passes = ReadonlyMap<number, Ways>;

interface Fragment {
  first: readonly Entry[];
  last: readonly Entry[];
  empty: Passes;
}

export interface Positions {
  positions: AutomatonPosition[];
  links: Link[];
  first: readonly Entry[];
  last: readonly Entry[];
  /** Paths through the pattern that consume no character, by guard. */
  empty: Passes;
  work: number;
  /** Each path through the pattern is one through the positions; if false, the pattern may have more. */
  exact: boolean;
}

/**
 * Treatment of counted repetitions. "closed": short ones are unrolled, long ones are loops with a limit;
 * "folded": short runs over one set are such loops, too; "open": long ones count as unlimited.
 */
export type Counts = "closed" | "folded" | "open";

/** Iterations that are always unrolled. */
const SHORTEST_FOLDED = 8;
const MAX_POSITIONS = 4_000;
const MAX_LINKS = 200_000;
/** Maximum positions passed on: each of a thousand parts that may be empty has those of all before it. */
const MAX_PASSED = 1_000_000;
/** Maximum unrolled iterations: `(?:(?:\b){999}){999}`, without a character, reaches no limit of positions. */
const MAX_ROUNDS = 100_000;

export class TooLargeError extends Error {}

/**
 * Glushkov's positions. Equal links stay separate, or `(a+)+` would look as harmless as `a+`.
 * @throws TooLargeError
 */
export function positionsOf(part: Part, counts: Counts): Positions {
  const builder = new Builder(counts);
  const { first, last, empty } = builder.of(part, counts === "open" ? "endless" : "straight");
  return {
    positions: builder.positions,
    links: builder.links,
    first,
    last,
    empty,
    work: builder.passed + builder.links.length,
    exact: builder.exact,
  };
}

type Nesting = "straight" | "counted" | "endless";

const PASSED: Passes = new Map([[0, { ways: 1, weight: 0 }]]);
const EMPTY: Fragment = { first: [], last: [], empty: PASSED };

/** Number of paths beyond any limit of steps. */
const MAX_WAYS = 1e9;

/** Each path of the first part continues with all of the second. */
const times = (a: Ways, b: Ways): Ways => ({
  ways: Math.min(MAX_WAYS, a.ways * b.ways),
  weight: Math.min(MAX_WAYS, a.weight + a.ways * b.weight),
});

class Builder {
  readonly positions: AutomatonPosition[] = [];
  readonly links: Link[] = [];
  readonly #counts: Counts;
  #copies = 1;
  #alone = false;
  #limit = Number.POSITIVE_INFINITY;
  #rounds = 0;
  passed = 0;
  exact = true;

  constructor(counts: Counts) {
    this.#counts = counts;
  }

  of(part: Part, around: Nesting): Fragment {
    switch (part.kind) {
      case "set":
        return this.#position(part, around === "counted" ? "counted" : "pumps");
      case "guard":
        return { ...EMPTY, empty: new Map([[part.guard, { ways: 1, weight: part.weight ?? 1 }]]) };
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

  #position({ set, weight = 1 }: { set: CharSet; weight?: number }, role: Role): Fragment {
    if (this.positions.length >= MAX_POSITIONS) throw new TooLargeError();
    const limit = role === "counted" ? this.#limit : Number.POSITIVE_INFINITY;
    const place = { set, role, copies: this.#copies, alone: this.#alone, limit };
    const position = this.positions.push(place) - 1;
    const entry = { position, ways: 1, guard: 0 };
    return { first: [{ ...entry, weight }], last: [{ ...entry, weight: 0 }], empty: new Map() };
  }

  #once(part: Part & { kind: "once" }, around: Nesting): Fragment {
    const one = this.#position(part, around === "endless" ? "pumps" : "runs");
    this.#link(one.last, one.first);
    const last = one.last.map((entry) => ({ ...entry, notThen: part.notThen }));
    return { ...one, last, empty: part.empty ? PASSED : new Map() };
  }

  #repeat(part: Part & { kind: "repeat" }, around: Nesting): Fragment {
    const { body, min, max } = part;
    const endless = max === Number.POSITIVE_INFINITY;
    if (isUnrolled(part) && !this.#isFolded(part)) return this.#writtenOut(part, around);
    // A required iteration may be empty, which is a separate path; further iterations are not.
    const looped = min > 0 && canBeEmpty(body) ? 0 : 1;
    const start = { ...part, min: min - looped, max: min - looped };
    if (endless && min > looped && isUnrolled(start)) {
      const before = this.#writtenOut(start, around);
      return this.#joined(before, this.#repeat({ ...part, min: looped }, around));
    }
    if (min > 0 && canBeEmpty(body)) this.exact = false;
    const counted = !endless && this.#counts !== "open" && around !== "endless" && !isEndless(body);
    const outside = this.#copies;
    this.#copies *= Math.max(1, endless ? min : max);
    this.#alone = outside === 1 && body.kind === "set";
    if (counted && around !== "counted") this.#limit = sizeOf(part);
    const inside = this.#round(part, counted ? "counted" : "endless");
    this.#copies = outside;
    this.#alone = false;
    this.#link(inside.last, inside.first);
    const stop = part.notThen;
    const last = stop === undefined ? inside.last : inside.last.map((entry) => ({ ...entry, notThen: stop }));
    return { first: inside.first, last, empty: min === 0 ? PASSED : inside.empty };
  }

  #isFolded({ body, max }: Part & { kind: "repeat" }): boolean {
    return this.#counts === "folded" && body.kind === "set" && max >= SHORTEST_FOLDED;
  }

  /** `x{2,4}` is `xx(?:x(?:x)?)?`. */
  #writtenOut(part: Part & { kind: "repeat" }, around: Nesting): Fragment {
    const { min, max } = part;
    let tail: Fragment = EMPTY;
    this.#rounds += max;
    if (this.#rounds > MAX_ROUNDS) throw new TooLargeError();
    for (let i = min; i < max; i++) {
      const more = this.#joined(this.#round(part, around), tail);
      tail = { ...more, empty: added(more.empty, EMPTY.empty) };
    }
    for (let i = 0; i < min; i++) tail = this.#joined(this.#round(part, around), tail);
    return tail;
  }

  /** The steps of an iteration count once, not for each of its possible first characters. */
  #round({ body, weight = 0 }: Part & { kind: "repeat" }, around: Nesting): Fragment {
    const round = this.of(body, around);
    const [first, ...others] = round.first;
    if (weight === 0 || first === undefined) return round;
    return { ...round, first: [{ ...first, weight: first.weight + weight }, ...others] };
  }

  #joined(before: Fragment, after: Fragment): Fragment {
    this.#link(before.last, after.first);
    this.passed += before.first.length + before.empty.size * after.first.length;
    this.passed += after.last.length + after.empty.size * before.last.length;
    if (this.passed > MAX_PASSED) throw new TooLargeError();
    const passes: [number, Ways][] = [];
    for (const [guard, ways] of before.empty)
      for (const [next, more] of after.empty) passes.push([guard | next, times(ways, more)]);
    return {
      first: [...before.first, ...passing(before.empty, after.first)],
      last: [...leaving(before.last, after.empty), ...after.last],
      empty: summed(passes),
    };
  }

  #link(last: readonly Entry[], first: readonly Entry[]): void {
    if (this.links.length + last.length * first.length > MAX_LINKS) throw new TooLargeError();
    for (const from of last)
      for (const to of first) {
        const set = this.positions[to.position]?.set;
        if (set !== undefined && from.notThen !== undefined && within(set, from.notThen)) continue;
        const { notThen } = from;
        this.links.push({
          from: from.position,
          to: to.position,
          ...times(from, to),
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

function added(a: Passes, b: Passes): Passes {
  return summed([...a, ...b]);
}

function summed(passes: Iterable<readonly [number, Ways]>): Passes {
  const sum = new Map<number, Ways>();
  for (const [guard, { ways, weight }] of passes) {
    const known = sum.get(guard) ?? { ways: 0, weight: 0 };
    sum.set(guard, {
      ways: Math.min(MAX_WAYS, known.ways + ways),
      weight: Math.min(MAX_WAYS, known.weight + weight),
    });
  }
  return sum;
}

function passing(empty: Passes, entries: readonly Entry[]): Entry[] {
  return [...empty].flatMap(([guard, pass]) =>
    entries.map((entry) => ({ ...entry, guard: entry.guard | guard, ...times(pass, entry) })),
  );
}

function leaving(entries: readonly Entry[], empty: Passes): Entry[] {
  return [...empty].flatMap(([guard, pass]) =>
    entries.map((entry) => ({ ...entry, guard: entry.guard | guard, ...times(entry, pass) })),
  );
}

function within(set: CharSet, other: CharSet): boolean {
  if (set.properties.length > 0 || other.properties.length > 0 || disjoint(set, other)) return false;
  return set.ranges.every(([from, to]) => other.ranges.some(([low, high]) => low <= from && to <= high));
}
