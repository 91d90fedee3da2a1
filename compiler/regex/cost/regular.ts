import { emptiness } from "../analyse/empty.js";
import { type Assertion, children, type Node } from "../ast.js";
import { type CharSet, joined, LAST_CODE_POINT, setOf, single } from "../charset.js";
import { LINE_FEED } from "../classes.js";
import { lastRun, reversed, textOf, unlocked } from "./approximation.js";
import { canBeEmpty, GUARD, isEndless, NOTHING, type Part } from "./part.js";
import { emptyingOf, withoutTail } from "./tail.js";
import { asTrie } from "./trie.js";

/**
 * The pattern itself, then each lookaround, atomic group and condition. Each of these follows what is in
 * front of it: the engine tries it once for each path that leads to it.
 */
export function regularParts(node: Node): [Tried, ...Tried[]] {
  const reader = new Reader();
  const { rest, tails } = withoutTail(node);
  const { part, inner } = reader.of(rest);
  const tried = tails.flatMap(({ round, weight }) => {
    const before: readonly Part[] = weight > 0 ? [{ kind: "guard", guard: 0, weight }] : [];
    return reader.tried(round).map((each) => after(before, each));
  });
  return [{ part, isBehind: false }, ...inner, ...tried];
}

export interface Tried {
  part: Part;
  /** A lookbehind: its end is matched first, against the text in front of it. */
  isBehind: boolean;
  /** Another part that covers all of its paths: the smaller bound holds. */
  instead?: Part;
  /** Tries at one position: by iterations that may be empty, or as a condition printed twice. Default: 1. */
  times?: number;
}

interface Read {
  part: Part;
  inner: Tried[];
}

/** Maximum parts of all texts that backreferences compare: `(a)(\1\1)(\2\2)…` doubles them with each group. */
const MAX_TEXTS = 20_000;
/** Maximum nesting of these texts, otherwise limited only by the number of groups. */
const MAX_DEPTH = 200;

class Reader {
  readonly #bodies = new Map<number, Node>();
  /** Texts that backreferences compare, by group. */
  readonly #texts = new Map<number, { part: Part; size: number; depth: number }>();
  readonly #reading = new Set<number>();
  #room = MAX_TEXTS;

  of(node: Node): Read {
    switch (node.kind) {
      case "set":
        return only(setPart(node.set));
      case "newline":
        return only(NEWLINE);
      case "assertion":
        return only({ kind: "guard", guard: GUARDS[node.assertion] });
      case "group":
        return this.#group(node);
      case "sequence":
        return this.#ofSequence(node.items);
      case "choice":
        return this.#ofChoice(node.branches);
      case "repeat":
        return this.#ofRepeat(node);
      case "atomic":
        return this.#ofAtomic(node.body);
      case "look":
        // A lookbehind is matched from its end.
        return { part: NOTHING, inner: this.#looked(node) };
      case "conditional": {
        const condition = this.#looked(node.condition);
        const ways = this.#ofChoice([node.yes, node.no]);
        // Printed twice, once inverted: (?:(?=c)yes|(?!c)no).
        const twice = condition.map((tried) => ({ ...tried, times: 2 * (tried.times ?? 1) }));
        return { part: ways.part, inner: [...twice, ...ways.inner] };
      }
      case "backReference": {
        return only(this.#compared(node.group));
      }
      case "call":
        return only(NOTHING);
    }
  }

  /** Reads the body first: a reference inside of its own group is empty in JavaScript. */
  #group({ body, number }: Node & { kind: "group" }): Read {
    const read = this.of(body);
    this.#bodies.set(number, body);
    return { ...read, part: { kind: "sequence", items: [CAPTURE, read.part] } };
  }

  #compared(group: number): Part {
    const body = this.#bodies.get(group);
    // A group is also empty inside of its own text.
    if (body === undefined || this.#reading.has(group)) return NOTHING;
    let text = this.#texts.get(group);
    if (text === undefined) {
      this.#reading.add(group);
      const { part } = this.of(textOf(body));
      this.#reading.delete(group);
      this.#texts.set(group, (text = { part, ...extentOf(part) }));
    }
    const { part, size, depth } = text;
    if (isEndless(part) || size > this.#room || depth > MAX_DEPTH)
      return { kind: "once", set: charactersOf(body, this.#bodies), empty: true };
    this.#room -= size;
    return part;
  }

  tried(body: Node): Tried[] {
    const { part, inner } = this.of(body);
    return [{ part, isBehind: false }, ...inner];
  }

  #looked({ ahead, body }: Node & { kind: "look" }): Tried[] {
    if (ahead) return this.tried(body);
    return this.tried(reversed(body)).map((tried) => ({ ...tried, isBehind: true }));
  }

  #ofSequence(items: readonly Node[]): Read {
    const parts: Part[] = [];
    const inner: Tried[] = [];
    for (const item of items) {
      const read = this.of(item);
      for (const tried of read.inner) inner.push(after(parts, tried));
      parts.push(read.part);
    }
    return { part: { kind: "sequence", items: parts }, inner };
  }

  #ofChoice(branches: readonly Node[]): Read {
    const read = branches.map((branch) => this.of(branch));
    return { part: asTrie(read.map(({ part }) => part)), inner: read.flatMap(({ inner }) => inner) };
  }

  #ofRepeat(node: Node & { kind: "repeat" }): Read {
    if (node.max === 0) return only(NOTHING);
    const { body, min, max } = node;
    if (node.mode === "possessive" && body.kind !== "set") return this.#ofAtomic({ ...node, mode: "greedy" });
    if (max > 1 && (body.kind === "atomic" || (body.kind === "repeat" && body.mode === "possessive"))) {
      return this.#ofWholeRounds(node, body);
    }
    const read = this.of(body);
    const weight = emptyingOf(body);
    const part: Part = {
      kind: "repeat",
      body: counted(read.part, node),
      min,
      max,
      ...(weight > 0 && { weight }),
    };
    // Empty iterations multiply the paths to the next one.
    const before: Part = canBeEmpty(read.part) ? part : { ...part, min: 0 };
    const times = emptyRounds(read.part, node);
    const inner = read.inner.map((tried) => (max > 1 ? after([before], tried, times) : tried));
    const stops = node.mode === "possessive" && max === Number.POSITIVE_INFINITY && body.kind === "set";
    return { part: stops ? { ...part, notThen: body.set } : part, inner };
  }

  /** All iterations have one path, as each one has. The engine tries the body at each position. */
  #ofWholeRounds(node: Node & { kind: "repeat" }, body: Node): Read {
    const { min, max } = node;
    const { part, inner } = this.of(unlocked(body));
    const round: Part = {
      kind: "sequence",
      items: [{ kind: "guard", guard: 0, weight: emptyingOf(body) }, counted(part, node)],
    };
    const times = emptyRounds(part, node);
    const before = loopBefore(body, this.#bodies);
    const each: Tried = {
      ...after([before], { part: round, isBehind: false }, times),
      instead: { kind: "repeat", body: round, min, max },
    };
    const rounds = inner.map((tried) => after([before], tried, times));
    const once = this.#once(body, min === 0 || canBeEmpty(part));
    // Each position is the end of an iteration, which the loop may give back.
    const all: Part = once.kind === "once" ? endsAnywhere(once) : once;
    // Empty iterations only cost the steps to count them.
    const steps: Part[] = isCounted(node) ? [{ kind: "guard", guard: 0, weight: times }] : [];
    return { part: { kind: "sequence", items: [...steps, all] }, inner: [each, ...rounds] };
  }

  #ofAtomic(body: Node): Read {
    // Read once: nested groups would be read twice as often with each level.
    const plain = this.of(body);
    if (!isEndless(plain.part)) return plain;
    return {
      part: this.#once(body, emptiness(body) !== "never"),
      inner: [{ part: plain.part, isBehind: false }, ...plain.inner],
    };
  }

  #once(body: Node, empty: boolean): Part {
    const set = charactersOf(body, this.#bodies);
    if (set.ranges.length === 0) return NOTHING;
    const stop = lastRun(body);
    return { kind: "once", set, empty, ...(stop !== undefined && { notThen: stop }) };
  }
}

/** Maximum iterations that V8 unrolls (kMaxUnrolledMaxMatches); beyond it V8 counts them. */
const UNROLLED = 3;

function isCounted({ min, max }: { min: number; max: number }): boolean {
  return max === Number.POSITIVE_INFINITY ? min > UNROLLED : max > UNROLLED;
}

/** Counting takes a step: `[^;]{0,100}` takes twice the time of `[^;]*` per character. */
function counted(round: Part, counts: { min: number; max: number }): Part {
  if (!isCounted(counts)) return round;
  if (round.kind === "set") return { ...round, weight: (round.weight ?? 1) + 1 };
  return { kind: "sequence", items: [CAPTURE, round] };
}

/** Recording the start and end of a group, and undoing it, takes 2 ns for each iteration. */
const CAPTURE: Part = { kind: "guard", guard: 0 };

/** Maximum ranges above Latin-1 of which V8 compares only a few. */
const FEW_RANGES = 8;
/** Weight of a test against a Unicode property: 20 ns and more for letters of two and three bytes. */
const WIDE = 4;

function setPart(set: CharSet): Part {
  const wide = set.properties.length > 0 || set.ranges.filter(([, to]) => to > 0xff).length > FEW_RANGES;
  return { kind: "set", set, ...(wide && { weight: WIDE }) };
}

function after(before: readonly Part[], { part, isBehind, instead, times = 1 }: Tried, rounds = 1): Tried {
  const all = (last: Part): Part => ({ kind: "sequence", items: [...before, last] });
  const alike = { isBehind, times: times * rounds };
  return { part: all(part), ...alike, ...(instead && { instead: all(instead) }) };
}

/** Maximum iterations at one position: required ones may be empty, and one more is tried. */
function emptyRounds(round: Part, { min, max }: { min: number; max: number }): number {
  return canBeEmpty(round) ? Math.min(min + 1, max) : 1;
}

function only(part: Part): Read {
  return { part, inner: [] };
}

function extentOf(part: Part): { size: number; depth: number } {
  const inner =
    part.kind === "sequence"
      ? part.items
      : part.kind === "choice"
        ? part.branches
        : part.kind === "repeat"
          ? [part.body]
          : [];
  let [size, depth] = [1, 0];
  for (const each of inner.map(extentOf)) {
    size += each.size;
    depth = Math.max(depth, each.depth);
  }
  return { size, depth: depth + 1 };
}

function loopBefore(body: Node, bodies: ReadonlyMap<number, Node>): Part {
  return endsAnywhere({ kind: "once", set: charactersOf(body, bodies), empty: true });
}

function endsAnywhere({ set, empty, notThen }: Part & { kind: "once" }): Part {
  const run: Part = {
    kind: "repeat",
    body: { kind: "set", set },
    min: empty ? 0 : 1,
    max: Number.POSITIVE_INFINITY,
  };
  return notThen === undefined ? run : { ...run, notThen };
}

const EVERYTHING = setOf([[0, LAST_CODE_POINT]]);

function charactersOf(node: Node, bodies: ReadonlyMap<number, Node>): CharSet {
  const ranges: (readonly [number, number])[] = [];
  const seen = new Set<number>();
  let vague = false;
  const visit = (part: Node): void => {
    if (part.kind === "set") {
      vague ||= part.set.properties.length > 0;
      ranges.push(...part.set.ranges);
    } else if (part.kind === "newline") ranges.push([0x0a, 0x0d], [0x85, 0x85], [0x2028, 0x2029]);
    else if (part.kind === "backReference") {
      const body = bodies.get(part.group);
      if (body === undefined || seen.has(part.group)) return;
      seen.add(part.group);
      visit(body);
    } else if (part.kind !== "look" && !(part.kind === "repeat" && part.max === 0))
      for (const child of children(part)) visit(child);
  };
  visit(node);
  return vague ? EVERYTHING : { ranges: joined(ranges), properties: [], negated: false };
}

export const GUARDS: Readonly<Record<Assertion, number>> = {
  start: GUARD.start,
  matchStart: GUARD.start,
  lineStart: GUARD.lineStart,
  lineEnd: GUARD.lineNext,
  finalEnd: GUARD.lineNext,
  end: GUARD.end,
  wordBoundary: GUARD.boundary,
  notWordBoundary: GUARD.noBoundary,
  wordStart: GUARD.boundary | GUARD.wordNext,
  wordEnd: GUARD.boundary | GUARD.noWordNext,
};

const NEWLINE: Part = {
  kind: "choice",
  branches: [
    {
      kind: "sequence",
      items: [
        { kind: "set", set: single(0x0d) },
        { kind: "set", set: single(LINE_FEED) },
      ],
    },
    {
      kind: "set",
      set: setOf([
        [0x0a, 0x0c],
        [0x85, 0x85],
        [0x2028, 0x2029],
      ]),
    },
    { kind: "set", set: single(0x0d) },
  ],
};
