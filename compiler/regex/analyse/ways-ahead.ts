import { children, type Node } from "../ast.js";

/**
 * Maximum paths from one position to their first character. V8 walks them when it compiles, from every
 * position on them, in 1 to 2 µs each: 20 times `(?:a?|b?)` took half a second, 40 times never ends. None of
 * 4,459 patterns of the tests and docs has more than 51.
 */
const MAX_EMPTY = 4_096;

/**
 * Maximum paths from all choices to their fourth character, where V8's quick check ends. 32 optional letters
 * in front of 24 others have 265,000 and take 0.4 s; 40 have 816,000 and take 2.5 s. The patterns above have
 * at most 1,195.
 */
const MAX_QUICKLY_CHECKED = 262_144;
const QUICKLY_CHECKED = 4;

/** Paths through a part, as far as a number of characters. */
interface Ahead {
  /** By the number of characters that they consume. */
  through: readonly number[];
  /** Paths that have their first, second, … character in the part, or end before that character. */
  taking: readonly number[];
}

/** Larger than all limits, so that products stay finite. */
const MANY = 1e12;

/** @returns a clause that names the excess paths of a pattern; undefined if V8 compiles it fast */
export function tooManyWays(node: Node): string | undefined {
  if (2 ** doublings(node) <= MAX_EMPTY) return undefined;
  const { most } = waysAhead(node, 1);
  if (most > MAX_EMPTY)
    return `parts that may be empty follow each other in ${many(most)} ways, more than ${MAX_EMPTY}`;
  const { all } = waysAhead(node, QUICKLY_CHECKED);
  if (all <= MAX_QUICKLY_CHECKED) return undefined;
  return `optional parts and alternatives follow each other in ${many(all)} ways within ${QUICKLY_CHECKED} characters, more than ${MAX_QUICKLY_CHECKED}`;
}

const many = (ways: number): string => (ways > 1e9 ? "over 1000000000" : String(ways));

/**
 * Upper bound of the binary logarithm of the number of paths of any length, in a third of the time of
 * counting. Numbers of parts in a sequence multiply at most, and V8 walks at most four iterations of a part.
 */
export function doublings(node: Node): number {
  switch (node.kind) {
    case "assertion":
      return node.assertion === "lineStart" ? 1 : 0;
    case "newline":
      return 1;
    case "choice":
      return doublingsOfAll(node.branches) + Math.log2(node.branches.length);
    case "repeat":
      return node.max > 1 ? 4 * doublings(node.body) + 2 : doublings(node.body) + 1;
    default:
      return doublingsOfAll(children(node)) + (node.kind === "conditional" ? 1 : 0);
  }
}

function doublingsOfAll(nodes: readonly Node[]): number {
  let sum = 0;
  for (const node of nodes) sum += doublings(node);
  return sum;
}

/** @returns paths of so many characters: `most` from any one position, `all` from all choices together */
export function waysAhead(node: Node, characters: number): { most: number; all: number } {
  const ways = new Ways(characters);
  ways.aheadOf(node);
  ways.walk(node, ways.end.taking);
  return { most: ways.most, all: ways.all };
}

class Ways {
  readonly #cached = new Map<Node, Ahead>();
  readonly #passed: Ahead;
  readonly end: Ahead;
  most = 0;
  all = 0;

  constructor(characters: number) {
    const none = new Array<number>(characters).fill(0);
    this.#passed = { through: [1, ...none.slice(1)], taking: none };
    this.end = { through: none, taking: none.map(() => 1) };
  }

  aheadOf(node: Node): Ahead {
    const inner = children(node).map((child) => this.aheadOf(child));
    const ahead = this.#joined(node, inner);
    this.#cached.set(node, ahead);
    return ahead;
  }

  #joined(node: Node, inner: readonly Ahead[]): Ahead {
    const passed = this.#passed;
    const [body = passed] = inner;
    switch (node.kind) {
      case "set":
        return this.#taken(1);
      case "newline":
        // Printed as a choice between `\r\n` and the others.
        return sum([this.#taken(1), this.#taken(2)]);
      case "assertion":
        // Also printed as a choice.
        return node.assertion === "lineStart" ? sum([passed, passed]) : passed;
      case "backReference":
      case "call":
      case "look":
        return passed;
      case "group":
      case "atomic":
        return body;
      case "sequence":
        return inner.reduceRight((rest, item) => chain(item, rest), passed);
      case "choice":
        return sum(inner);
      case "conditional":
        return sum(inner.slice(1));
      case "repeat":
        return isLoop(node, body) ? passed : this.#repeated(node, body);
    }
  }

  #taken(characters: number): Ahead {
    return {
      through: this.end.through.map((_, n) => (n === characters ? 1 : 0)),
      taking: this.end.taking.map((_, n) => (n < characters ? 1 : 0)),
    };
  }

  /**
   * V8 nests the last three iterations, unless it must clear captures. In a loop, its walk ends when it
   * returns to the start (RegExpQuantifier::ToNode, LoopChoiceNode::GetQuickCheckDetails).
   */
  #repeated({ min, max, body: node }: Node & { kind: "repeat" }, body: Ahead): Ahead {
    const more = max - min;
    const comesRound = more > 3 || holdsCapture(node);
    let ahead = comesRound && more > 0 ? sum([this.#passed, chain(body, this.end)]) : this.#passed;
    for (let round = 0; round < more && !comesRound; round++) ahead = sum([this.#passed, chain(body, ahead)]);
    for (let round = 0; round < Math.min(min, this.end.taking.length); round++) ahead = chain(body, ahead);
    return ahead;
  }

  walk(node: Node, rest: readonly number[]): void {
    const ahead = this.#cached.get(node) ?? this.#passed;
    const ways = followed(ahead, rest);
    const own = ways.at(-1) ?? 0;
    this.most = Math.max(this.most, own);
    if (node.kind === "choice" || node.kind === "conditional" || node.kind === "repeat") this.all += own;
    switch (node.kind) {
      case "sequence": {
        let after = rest;
        for (const item of node.items.toReversed()) {
          this.walk(item, after);
          after = followed(this.#cached.get(item) ?? this.#passed, after);
        }
        return;
      }
      case "look":
        this.walk(node.body, this.end.taking);
        return;
      case "repeat": {
        if (isLoop(node, this.#cached.get(node.body) ?? this.#passed)) {
          this.walk(node.body, this.end.taking);
          return;
        }
        // An iteration is followed by another, or by the rest; paths that skip the part at once are not
        // counted twice.
        const [atOnce = 0] = ahead.through;
        const again = ways.map((count, n) => count + (1 - Math.min(atOnce, 1)) * (rest[n] ?? 0));
        this.walk(node.body, node.max > 1 ? again : rest);
        return;
      }
      default:
        for (const child of children(node)) this.walk(child, rest);
    }
  }
}

/** V8 checks after each iteration that the text advanced, where its walk ends. An optional part is a choice. */
const isLoop = ({ max }: Node & { kind: "repeat" }, { through: [empty = 0] }: Ahead): boolean =>
  empty > 0 && max > 1;

/** Atomic groups are captures when printed. */
const holdsCapture = (node: Node): boolean =>
  node.kind === "group" || node.kind === "atomic" || children(node).some(holdsCapture);

function sum(all: readonly Ahead[]): Ahead {
  const added = (field: keyof Ahead): number[] => {
    const [first, ...others] = all;
    return (first?.[field] ?? []).map((ways, n) =>
      Math.min(
        MANY,
        others.reduce((total, other) => total + (other[field][n] ?? 0), ways),
      ),
    );
  };
  return { through: added("through"), taking: added("taking") };
}

function chain(one: Ahead, other: Ahead): Ahead {
  const none = one.through.map(() => 0);
  return {
    through: followed({ through: one.through, taking: none }, other.through),
    taking: followed(one, other.taking),
  };
}

function followed({ through, taking }: Ahead, rest: readonly number[]): number[] {
  return taking.map((ways, n) => {
    let total = ways;
    for (let taken = 0; taken <= n; taken++) total += (through[taken] ?? 0) * (rest[n - taken] ?? 0);
    return Math.min(MANY, total);
  });
}
