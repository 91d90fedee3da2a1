import { children, type Node } from "../ast.js";

/**
 * Ways through empty text that one place of a pattern may have ahead of it. V8 walks each of them when it compiles, again from every
 * place: it takes 1 to 2 µs a way, so that 20 times `(?:a?|b?)` take half a second, and 40 times for ever. Of the 1,033 patterns
 * of the tests, most of them public, none has more than 12.
 */
export const MOST_EMPTY_WAYS = 4_096;

/** Ways ahead of a part: those that pass it without a character, and those that end at its first one. */
interface Ahead {
  through: number;
  taking: number;
}

const PASSED: Ahead = { through: 1, taking: 0 };
const TAKEN: Ahead = { through: 0, taking: 1 };

/** @returns the ways of a pattern that has more than `MOST_EMPTY_WAYS` */
export function tooManyEmptyWays(node: Node): number | undefined {
  if (2 ** doublings(node) <= MOST_EMPTY_WAYS) return undefined;
  const ways = emptyWays(node);
  return ways > MOST_EMPTY_WAYS ? ways : undefined;
}

/**
 * Bounds the ways from above, as their binary logarithm, in a third of the time that counting them takes. Ways of parts in a sequence
 * multiply at the most, and a part that comes again may have itself ahead of it.
 */
export function doublings(node: Node): number {
  switch (node.kind) {
    case "choice":
      return doublingsOfAll(node.branches) + Math.log2(node.branches.length);
    case "repeat":
      return (node.max > 1 ? 2 : 1) * (doublings(node.body) + 1);
    default:
      return doublingsOfAll(children(node)) + (node.kind === "conditional" ? 1 : 0);
  }
}

function doublingsOfAll(nodes: readonly Node[]): number {
  let sum = 0;
  for (const node of nodes) sum += doublings(node);
  return sum;
}

/** Returns the most ways through empty text that any place of a pattern has ahead of it, as far as V8 walks them. */
export function emptyWays(node: Node): number {
  const known = new Map<Node, Ahead>();
  aheadOf(node, known);
  return mostIn(node, 1, known);
}

function aheadOf(node: Node, known: Map<Node, Ahead>): Ahead {
  const inner = children(node).map((child) => aheadOf(child, known));
  const ahead = joined(node, inner);
  known.set(node, ahead);
  return ahead;
}

function joined(node: Node, inner: readonly Ahead[]): Ahead {
  const [body = PASSED] = inner;
  switch (node.kind) {
    case "set":
    case "newline":
      return TAKEN;
    case "assertion":
    case "backReference":
    case "call":
    case "look":
      return PASSED;
    case "group":
    case "atomic":
      return body;
    case "sequence":
      return inner.reduceRight(
        (rest, { through, taking }) => ({
          through: through * rest.through,
          taking: taking + through * rest.taking,
        }),
        PASSED,
      );
    case "choice":
      return summed(inner);
    case "conditional":
      return summed(inner.slice(1));
    case "repeat":
      if (isLoop(node, body)) return PASSED;
      return { through: body.through + (node.min === 0 ? 1 : 0), taking: body.taking };
  }
}

/** Reports whether V8 checks behind each round that the text went on, where its walk ends; an optional part is printed as a choice. */
const isLoop = ({ max }: Node & { kind: "repeat" }, body: Ahead): boolean => body.through > 0 && max > 1;

const summed = (all: readonly Ahead[]): Ahead => ({
  through: all.reduce((sum, { through }) => sum + through, 0),
  taking: all.reduce((sum, { taking }) => sum + taking, 0),
});

/** @param after ways ahead of what follows the node */
function mostIn(node: Node, after: number, known: ReadonlyMap<Node, Ahead>): number {
  const { through, taking } = known.get(node) ?? PASSED;
  const own = taking + through * after;
  const inner = (child: Node, rest: number) => mostIn(child, rest, known);
  switch (node.kind) {
    case "sequence": {
      let [most, rest] = [own, after];
      for (const item of node.items.toReversed()) {
        most = Math.max(most, inner(item, rest));
        const ahead = known.get(item) ?? PASSED;
        rest = ahead.taking + ahead.through * rest;
      }
      return most;
    }
    case "look":
      return Math.max(own, inner(node.body, 1));
    case "repeat":
      if (isLoop(node, known.get(node.body) ?? PASSED)) return Math.max(own, inner(node.body, 1));
      return Math.max(own, inner(node.body, node.max > 1 ? after + taking : after));
    default:
      return children(node).reduce((most, child) => Math.max(most, inner(child, after)), own);
  }
}
