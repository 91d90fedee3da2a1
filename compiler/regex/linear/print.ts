import { emptiness } from "../analyse/empty.js";
import {
  ACCEPT,
  type Follow,
  isMadePossessive,
  isUnambiguous,
  neverGivesBack,
  UNKNOWN,
} from "../analyse/follow.js";
import type { Node } from "../ast.js";
import { disjoint, onlyMember, type Range, SURROGATES, single, without } from "../charset.js";
import { LINE_FEED } from "../classes.js";
import { printSequence, printSet } from "../print-parts.js";
import { lineStarts } from "./line-starts.js";

/** "v8": V8's linear engine (flag `l`); "re2": re2js. */
export type Dialect = "v8" | "re2";

export interface LinearForm {
  source: string;
  /** Number in `source` of each capture of the pattern; 0 for one that is not used. */
  groups: number[];
  /** Line feeds in front of which `$` matched: no part of the match. */
  ends: number[];
  /** An empty match at the end of a non-empty text does not count, and no other match begins there. */
  notAtEnd?: true;
}

/** The message names the construct. */
export class IneligibleError extends Error {}

/**
 * Maximum copies, with nested repetitions multiplied: V8 unrolls up to its limit (kMaxReplicationFactor, V8
 * 11.3); RE2 has its own.
 */
const MAX_COPIES: Readonly<Record<Dialect, number>> = { v8: 16, re2: 1000 };

/**
 * Prints for an engine with linear time and without lookaround, which `$` is in JavaScript. At the end of a
 * pattern `X(?:$|(\n)$)` means the same, with a line feed to remove from the match.
 * @param read captures that are used; the others are no groups here
 * @param utf8 the subject is decoded text, with a surrogate for each byte that is no UTF-8
 * @throws IneligibleError
 */
export function printLinear(
  node: Node,
  groups: number,
  read: ReadonlySet<number>,
  dialect: Dialect,
  utf8 = false,
): LinearForm {
  // No line begins in front of a byte that is no UTF-8: there "^" certainly holds only if a character
  // follows.
  const starts = dialect === "re2" && !utf8 ? lineStarts(node) : undefined;
  const printer = new Printer(read, dialect, { utf8, lineStarts: starts?.first ?? new Set() });
  const source = printer.print(node, ACCEPT, true);
  const numbers = Array.from({ length: groups }, (_, i) => printer.numbers.get(i + 1) ?? 0);
  return {
    source: source === "" ? "(?:)" : source,
    groups: numbers,
    ends: printer.ends,
    ...(starts?.notAtEnd && { notAtEnd: true }),
  };
}

class Printer {
  readonly numbers = new Map<number, number>();
  readonly ends: number[] = [];
  readonly #read: ReadonlySet<number>;
  readonly #dialect: Dialect;
  readonly #lineStarts: ReadonlySet<Node>;
  readonly #utf8: boolean;
  #opened = 0;
  #copies = 1;

  constructor(
    read: ReadonlySet<number>,
    dialect: Dialect,
    { utf8, lineStarts }: { utf8: boolean; lineStarts: ReadonlySet<Node> },
  ) {
    this.#read = read;
    this.#utf8 = utf8;
    this.#lineStarts = lineStarts;
    this.#dialect = dialect;
  }

  /** @param last every path of the match ends with this node */
  print(node: Node, follow: Follow, last: boolean): string {
    switch (node.kind) {
      case "set":
        return this.#set(node);
      case "newline":
        if (!follow.known || !follow.next.every(({ set }) => disjoint(set, single(LINE_FEED))))
          throw new IneligibleError("\\R in front of what may be a line feed");
        return this.#utf8 ? "(?:\\r\\n|[\\n-\\r\\x85\\x{2028}\\x{2029}])" : "(?:\\r\\n|[\\n-\\r\\x85])";
      case "assertion":
        return this.#assertion(node, follow, last);
      case "sequence":
        return this.#sequence(node.items, follow, last);
      case "choice":
        return this.#choice(node, follow, last);
      case "group":
        return this.#group(node, follow, last);
      case "atomic":
        return this.#atomic(node, follow, last);
      case "repeat":
        return this.#repeat(node, follow, last);
      case "look":
      case "conditional":
        throw new IneligibleError("a look-around");
      case "backReference":
        throw new IneligibleError("a back reference");
      case "call":
        throw new IneligibleError("a recursion");
    }
  }

  #set({ set }: Node & { kind: "set" }): string {
    if (set.ranges.length === 0 && set.properties.length === 0) throw new IneligibleError("an empty class");
    if (this.#dialect === "v8") return printSet(set, false);
    if (set.properties.length > 0) throw new IneligibleError("a Unicode property");
    const ranges = this.#utf8 ? without(set.ranges, SURROGATES) : set.ranges;
    if (ranges.length === 0) throw new IneligibleError("an empty class");
    return printRe2Set(ranges);
  }

  #assertion(node: Node & { kind: "assertion" }, follow: Follow, last: boolean): string {
    const { assertion } = node;
    const end = this.#dialect === "v8" ? "$" : "\\z";
    if (this.#dialect === "re2" && assertion === "lineEnd") return "(?m:$)";
    if (this.#dialect === "re2" && assertion === "lineStart") return this.#lineStart(node, follow);
    switch (assertion) {
      case "start":
        return "^";
      case "end":
        return end;
      case "wordBoundary":
        return "\\b";
      case "notWordBoundary":
        return "\\B";
      case "finalEnd":
      case "lineEnd": {
        if (!last) throw new IneligibleError("a $ that is not at the end");
        this.ends.push(++this.#opened);
        return assertion === "finalEnd" ? `(?:${end}|(\\n)${end})` : `(?:${end}|(\\n))`;
      }
      case "lineStart":
        throw new IneligibleError("^ with option m");
      default:
        throw new IneligibleError("a look-around (word start or word end)");
    }
  }

  /** RE2 has one more line behind a final line feed, PCRE has none: nothing may match there. */
  #lineStart(node: Node, follow: Follow): string {
    if ((follow.known && !follow.end) || this.#lineStarts.has(node)) return "(?m:^)";
    throw new IneligibleError("^ with option m in front of what may be empty (write .+ for .*)");
  }

  #sequence(items: readonly Node[], follow: Follow, last: boolean): string {
    return printSequence(items, follow, (item, next, end) => this.print(item, next, last && end));
  }

  /** The common beginning of neighbouring words would otherwise follow each of them. */
  #choice(node: Node & { kind: "choice" }, follow: Follow, last: boolean): string {
    const parts: string[] = [];
    const branches = sorted(node.branches);
    for (let i = 0; i < branches.length; ) {
      const first = firstLetter(branches[i]);
      let end = i + 1;
      while (first !== undefined && end < branches.length && firstLetter(branches[end]) === first) end++;
      const alike = branches.slice(i, end);
      const [only, second] = alike;
      if (only !== undefined && second === undefined) parts.push(this.print(only, follow, last));
      else {
        const tails: Node = { kind: "choice", branches: alike.map(withoutFirst) };
        const [letter] = only?.kind === "sequence" ? only.items : [only];
        if (letter !== undefined)
          parts.push(`${this.print(letter, UNKNOWN, false)}(?:${this.print(tails, follow, last)})`);
      }
      i = end;
    }
    return parts.join("|");
  }

  #group(node: Node & { kind: "group" }, follow: Follow, last: boolean): string {
    if (!this.#read.has(node.number)) return `(?:${this.print(node.body, follow, last)})`;
    this.numbers.set(node.number, ++this.#opened);
    return `(${this.print(node.body, follow, false)})`;
  }

  #atomic({ body }: Node & { kind: "atomic" }, follow: Follow, last: boolean): string {
    const ends = follow.end && follow.known && follow.next.length === 0;
    if (!ends && !isUnambiguous(body) && !neverGivesBack(body, follow))
      throw new IneligibleError("an atomic group");
    return `(?:${this.print(body, follow, last)})`;
  }

  #repeat(node: Node & { kind: "repeat" }, follow: Follow, last: boolean): string {
    const greedy = { ...node, mode: "greedy" as const };
    const held = node.mode === "possessive" || isMadePossessive(node, follow) !== false;
    if (held && !isUnambiguous(greedy) && !neverGivesBack(greedy, follow))
      throw new IneligibleError("a possessive repetition");
    const { body, min, max } = node;
    if (max === 0) return "";
    const lazy = node.mode === "lazy" ? "?" : "";
    if (max > 1 && emptiness(body) !== "never")
      throw new IneligibleError("a repetition of a part that may be empty");
    const outer = this.#copies;
    this.#copies *= Math.max(max === Number.POSITIVE_INFINITY ? this.#endless(min) : max, 1);
    if (this.#copies > MAX_COPIES[this.#dialect])
      throw new IneligibleError(`counts whose product is more than ${MAX_COPIES[this.#dialect]}`);
    const text = this.print(body, max > 1 ? UNKNOWN : follow, last && max === 1);
    this.#copies = outer;
    if (min === 0 && max === 1 && emptiness(body) !== "never")
      return lazy === "" ? `(?:${text}|)` : `(?:|${text})`;
    return `${body.kind === "set" ? text : `(?:${text})`}${quantifier(min, max)}${lazy}`;
  }

  /** V8 prints `a+` as `aa*`. */
  #endless(min: number): number {
    return this.#dialect === "v8" ? min + 1 : min;
  }
}

/** Each branch begins with a letter. Their order does not matter: no text begins with two of them. */
function sorted(branches: readonly Node[]): readonly Node[] {
  const letters = branches.map(firstLetter);
  if (letters.includes(undefined)) return branches;
  const order = branches.map((_, i) => i).sort((a, b) => (letters[a] ?? 0) - (letters[b] ?? 0) || a - b);
  return order.flatMap((i) => branches[i] ?? []);
}

function firstLetter(node: Node | undefined): number | undefined {
  const first = node?.kind === "sequence" ? node.items[0] : node;
  return first?.kind === "set" ? onlyMember(first.set) : undefined;
}

function withoutFirst(node: Node): Node {
  if (node.kind !== "sequence") return { kind: "sequence", items: [] };
  const [, second, third] = node.items;
  return third === undefined && second !== undefined
    ? second
    : { kind: "sequence", items: node.items.slice(1) };
}

function quantifier(min: number, max: number): string {
  if (max === Number.POSITIVE_INFINITY) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  if (min === 0 && max === 1) return "?";
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

/** Never uses a name such as `\s`, which means another set in RE2; all but letters and digits are codes. */
function printRe2Set(ranges: readonly Range[]): string {
  const [only, second] = ranges;
  if (only !== undefined && second === undefined && only[0] === only[1]) return character(only[0]);
  return `[${ranges.map(([from, to]) => (from === to ? character(from) : `${character(from)}-${character(to)}`)).join("")}]`;
}

function character(code: number): string {
  const text = String.fromCodePoint(code);
  if (/^[0-9A-Za-z_/ <>"'=:;,@#%&!~`]$/.test(text)) return text;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, "0")}` : `\\x{${code.toString(16)}}`;
}
