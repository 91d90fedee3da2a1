import { type CharSet, disjoint, joined, setOf } from "../charset.js";
import { canBeEmpty, isUnrolled, type Part } from "./part.js";

interface Work {
  own: number;
  exits: number;
}

const MOST = 1e15;

/**
 * Steps at one position, apart from those that grow with the text. Counted repetitions and ambiguous choices
 * multiply; unambiguous ones do not.
 * @param open counted repetitions that are not unrolled count as unlimited: their steps grow with the text
 */
export function factorOf(part: Part, open: boolean): number {
  const { own, exits } = workOf(part, undefined, open);
  return Math.min(own + exits, MOST);
}

/** Next characters; undefined if unknown, or if the end may be next. */
type Next = CharSet | undefined;

function workOf(part: Part, next: Next, open: boolean): Work {
  switch (part.kind) {
    case "set":
    case "guard":
      return { own: part.weight ?? 1, exits: 1 };
    case "once":
      return { own: 1, exits: 1 };
    case "sequence":
      return ofSequence(part.items, next, open);
    case "choice":
      return ofChoice(part.branches, next, open);
    case "repeat":
      return ofRepeat(part, next, open);
  }
}

function ofSequence(items: readonly Part[], next: Next, open: boolean): Work {
  let work: Work = { own: 0, exits: 1 };
  let following = next;
  for (const item of [...items].reverse()) {
    const before = workOf(item, following, open);
    work = {
      own: Math.min(before.own + before.exits * work.own, MOST),
      exits: Math.min(before.exits * work.exits, MOST),
    };
    following = beginning(item, following);
  }
  return work;
}

/** Only one of the branches with different first characters is taken; each other one may be taken in addition. */
function ofChoice(branches: readonly Part[], next: Next, open: boolean): Work {
  let seen: CharSet = setOf([]);
  let [one, others]: [Work, Work] = [
    { own: 0, exits: 0 },
    { own: 0, exits: 0 },
  ];
  for (const branch of branches) {
    const { own, exits } = workOf(branch, next, open);
    const first = beginning(branch, undefined);
    if (first !== undefined && first.properties.length === 0 && disjoint(seen, first)) {
      seen = { ...seen, ranges: joined([...seen.ranges, ...first.ranges]) };
      one = { own: Math.max(one.own, own), exits: Math.max(one.exits, exits) };
    } else others = { own: others.own + own, exits: others.exits + exits };
  }
  return {
    own: Math.min(one.own + others.own + branches.length, MOST),
    exits: Math.min(one.exits + others.exits, MOST),
  };
}

function ofRepeat(part: Part & { kind: "repeat" }, next: Next, open: boolean): Work {
  const { body, min, max, notThen } = part;
  const { own: inside, exits } = workOf(body, undefined, open);
  const own = inside + (part.weight ?? 0);
  if (max === Number.POSITIVE_INFINITY || (open && max > 1 && !isUnrolled(part))) {
    // Required iterations may be empty, and each choice of empty ones is a separate path.
    if (min > 1 && exits > 1 && canBeEmpty(body)) return severalOf(own, exits, min);
    return { own: Math.min(own * Math.max(min, 1), MOST), exits: 1 };
  }
  const ended =
    body.kind === "set" && (notThen !== undefined || (next !== undefined && disjoint(body.set, next)));
  if (ended) return { own: Math.min((own + 1) * max, MOST), exits: 1 };
  if (exits <= 1) return { own: Math.min(own * max, MOST), exits: max - min + 1 };
  const rounds = severalOf(own, exits, max);
  return { own: rounds.own, exits: Math.min(rounds.exits * 2, MOST) };
}

function severalOf(own: number, exits: number, rounds: number): Work {
  const most = exits ** rounds;
  return { own: Math.min((own * (most - 1)) / (exits - 1), MOST), exits: Math.min(most, MOST) };
}

function beginning(part: Part, next: Next): Next {
  switch (part.kind) {
    case "set":
      return part.set;
    case "once":
      return part.empty ? joint(part.set, next) : part.set;
    case "guard":
      return next;
    case "sequence":
      return [...part.items].reverse().reduce<Next>((following, item) => beginning(item, following), next);
    case "choice":
      return part.branches.map((branch) => beginning(branch, next)).reduce(joint, setOf([]));
    case "repeat": {
      const first = beginning(part.body, undefined);
      if (part.min > 0 && first !== undefined) return first;
      return part.min > 0 ? undefined : joint(first, next);
    }
  }
}

function joint(a: Next, b: Next): Next {
  if (a === undefined || b === undefined || a.properties.length + b.properties.length > 0) return undefined;
  return setOf([...a.ranges, ...b.ranges]);
}
