import { reachOf } from "./analyse/reach.js";
import { tooManyWays } from "./analyse/ways-ahead.js";
import { children, type Node } from "./ast.js";
import { setOf, single } from "./charset.js";
import { LINE_FEED } from "./classes.js";
import { printPattern } from "./print.js";
import { RegexError } from "./regex-error.js";

/**
 * Finds the matches that more text can still change, as PCRE2_PARTIAL_HARD does. It runs over the text
 * followed by `pad` times U+0100, a byte that has not arrived. Each class matches it, and so does each
 * assertion that examines a byte. It tries the same paths in the same order as the pattern itself. So a match
 * that ends in the pad was decided by bytes beyond the text; one that ends in front of it is final.
 */
export interface Partial {
  source: string;
  pad: number;
}

/** Placeholder for a byte that has not arrived. */
const UNKNOWN = 0x100;
const ONE: Node = { kind: "set", set: single(UNKNOWN) };
const LINE: Node = { kind: "set", set: single(LINE_FEED) };
const ANY: Node = { kind: "set", set: setOf([[0, UNKNOWN]]) };
/** Maximum characters of the source, whose classes take more memory in V8's code than the pattern's own. */
const MAX_SOURCE = 16_384;

class UndecidableError extends Error {}

/**
 * @returns undefined for backreferences, repetitions possessive only by PCRE2's optimizer, and long
 * compilation in V8
 */
export function partialOf(node: Node, anchored: boolean): Partial | undefined {
  try {
    let made = false;
    const settings = { utf: false, usedCaptures: new Set<number>(), groupStates: new Map() };
    printPattern(node, { ...settings, onMadePossessive: () => (made = true) });
    if (made) return undefined;
    const open = openEnded(node);
    if (tooManyWays(open) !== undefined) return undefined;
    const source = printPattern(open, settings);
    const partial = anchored ? `^(?:${source})` : source;
    return partial.length > MAX_SOURCE || !compiles(partial)
      ? undefined
      : { source: partial, pad: reachOf(open).ahead };
  } catch (error) {
    if (error instanceof UndecidableError || error instanceof RegexError) return undefined;
    throw error;
  }
}

/** V8 compiles at the first use. `(?!)` prevents the search, which was not analysed yet. */
function compiles(source: string): boolean {
  try {
    new RegExp(`(?!)(?:${source})`).exec(String.fromCharCode(UNKNOWN));
    return true;
  } catch {
    return false;
  }
}

const sequence = (...items: Node[]): Node => ({ kind: "sequence", items });
const choice = (...branches: Node[]): Node => ({ kind: "choice", branches });

/** Matches once the pad is reached. */
const SEEN: Node = { kind: "look", ahead: false, negative: false, body: ONE, at: 0 };

/** Everything behind a byte of the pad matches there. */
function openEnded(node: Node): Node {
  switch (node.kind) {
    case "set":
      return { kind: "set", set: setOf([...node.set.ranges, [UNKNOWN, UNKNOWN]]) };
    case "newline":
      return openEnded(NEWLINE);
    case "assertion":
      return assertion(node);
    case "sequence":
      return { ...node, items: node.items.map(openEnded) };
    case "choice":
      return { ...node, branches: node.branches.map(openEnded) };
    case "group":
      return openEnded(node.body);
    case "atomic":
      return { ...node, body: openEnded(node.body) };
    case "repeat":
      return { ...node, body: openEnded(node.body) };
    case "look":
      return choice(undecided(node), node);
    case "conditional":
      return choice(undecided(node.condition), {
        ...node,
        yes: openEnded(node.yes),
        no: openEnded(node.no),
      });
    case "backReference":
    case "call":
      throw new UndecidableError();
  }
}

const NEWLINE: Node = {
  kind: "atomic",
  body: choice(sequence({ kind: "set", set: single(0x0d) }, LINE), {
    kind: "set",
    set: setOf([
      [0x0a, 0x0d],
      [0x85, 0x85],
    ]),
  }),
  at: 0,
};

function assertion(node: Node & { kind: "assertion" }): Node {
  switch (node.assertion) {
    case "start":
    case "matchStart":
      // False there, but the path to the pad depends on bytes that have not arrived: it must not fail.
      return choice(SEEN, node);
    // With more text, the end is somewhere else.
    case "end":
      return ONE;
    case "finalEnd":
      return sequence({ kind: "repeat", body: LINE, min: 0, max: 1, mode: "greedy", at: 0 }, ONE);
    default:
      return choice(ONE, node);
  }
}

/** Matches if a lookaround would examine a byte that has not arrived, and consumes the text up to there. */
function undecided(node: Node & { kind: "look" }): Node {
  if (!node.ahead) {
    // In front of the pad all of the text is known.
    if (looksAhead(node.body)) throw new UndecidableError();
    return sequence(SEEN, ONE);
  }
  const { ahead } = reachOf(node.body);
  const way: Node = { ...node, negative: false, body: sequence(openEnded(node.body), SEEN) };
  return sequence(way, { kind: "repeat", body: ANY, min: 0, max: ahead, mode: "lazy", at: 0 }, ONE);
}

/** A lookbehind may examine the text behind its own end. */
function looksAhead(node: Node): boolean {
  if (node.kind === "look") return node.ahead || looksAhead(node.body);
  if (node.kind === "assertion") return node.assertion !== "start" && node.assertion !== "matchStart";
  return children(node).some(looksAhead);
}

/**
 * A match may be open behind a line feed. If none can, a stream of lines or events is never delayed beyond
 * one.
 * @param more something behind the node is examined
 */
export function crossesLines(node: Node, more = false): boolean {
  switch (node.kind) {
    case "set":
      return more && node.set.ranges.some(([from, to]) => from <= LINE_FEED && LINE_FEED <= to);
    case "newline":
    case "backReference":
    case "call":
      return more;
    case "assertion":
      // "$" tests whether a line feed is the last byte.
      return node.assertion === "finalEnd";
    case "sequence": {
      const rest = node.items.map(
        (_, i) => more || reachOf({ ...node, items: node.items.slice(i + 1) }).ahead > 0,
      );
      return node.items.some((item, i) => crossesLines(item, rest[i]));
    }
    case "repeat":
      return crossesLines(node.body, more || node.max > 1);
    case "look":
      return node.ahead && crossesLines(node.body);
    case "choice":
    case "group":
    case "atomic":
    case "conditional":
      return children(node).some((child) => crossesLines(child, more));
  }
}
