import type { Assertion, Node } from "../../compiler/regex/ast.js";
import type { CharSet } from "../../compiler/regex/charset.js";
import { reversed } from "../../compiler/regex/cost/approximation.js";

/** Steps of a search after which it is given up. */
export const LIMIT = 400_000;

/**
 * Counts the steps of a plain backtracking search for a pattern in a text, up to 400,000: an interpreter that tries what
 * V8 and PCRE try, in their order, to see how an attack text works on the pattern as it is. Characters that are compared,
 * assertions and groups are steps, as in the bound of the worst case.
 */
export function countSteps(node: Node, subject: string): number {
  const search = new Search(subject);
  for (let start = 0; start <= subject.length && search.steps < LIMIT; start++)
    if (search.match(node, start, () => true)) break;
  return search.steps;
}

/** Counts the steps of all searches in a text, each behind the match of the one before, as a replacement of all matches does. */
export function countAllSteps(node: Node, subject: string): number {
  const search = new Search(subject);
  let start = 0;
  while (start <= subject.length && search.steps < LIMIT) {
    let end = start;
    search.match(node, start, (position) => {
      end = position;
      return true;
    });
    start = Math.max(end, start + 1);
  }
  return search.steps;
}

type Next = (position: number) => boolean;

class Search {
  steps = 0;
  private readonly subject: string;
  private readonly groups = new Map<number, string>();

  constructor(subject: string) {
    this.subject = subject;
  }

  match(node: Node, at: number, next: Next): boolean {
    if (this.steps > LIMIT) return false;
    switch (node.kind) {
      case "set":
        this.steps++;
        return at < this.subject.length && holds(node.set, this.subject, at) && next(at + 1);
      case "sequence":
        return this.sequence(node.items, 0, at, next);
      case "choice":
        return node.branches.some((branch) => this.match(branch, at, next));
      case "group":
        this.steps++;
        return this.match(node.body, at, (end) =>
          this.keep(node.number, this.subject.slice(at, end), end, next),
        );
      case "repeat":
        return this.repeat(node, 0, at, next);
      case "assertion":
        this.steps++;
        return isAt(node.assertion, this.subject, at) && next(at);
      case "newline":
        this.steps++;
        return this.newline(at, next);
      case "atomic":
        return this.once(node.body, at, next);
      case "look":
        return this.look(node, at) && next(at);
      case "conditional":
        return this.match(this.look(node.condition, at) ? node.yes : node.no, at, next);
      case "call":
        return next(at);
      case "backReference": {
        const text = this.groups.get(node.group);
        this.steps += text?.length ?? 1;
        return text !== undefined && this.subject.startsWith(text, at) && next(at + text.length);
      }
    }
  }

  private sequence(items: readonly Node[], index: number, at: number, next: Next): boolean {
    const item = items[index];
    if (item === undefined) return next(at);
    return this.match(item, at, (end) => this.sequence(items, index + 1, end, next));
  }

  private keep(group: number, text: string, end: number, next: Next): boolean {
    const before = this.groups.get(group);
    this.groups.set(group, text);
    if (next(end)) return true;
    if (before === undefined) this.groups.delete(group);
    else this.groups.set(group, before);
    return false;
  }

  private repeat(node: Node & { kind: "repeat" }, done: number, at: number, next: Next): boolean {
    if (node.mode === "possessive") return this.once({ ...node, mode: "greedy" }, at, next);
    // V8 counts the rounds that it does not write out.
    if (Number.isFinite(node.max) ? node.max > 3 : node.min > 3) this.steps++;
    const more = (): boolean =>
      done < node.max &&
      this.match(node.body, at, (end) =>
        // V8 makes no round that is empty beyond those that it must make; PCRE ends the loop with it.
        end === at && done >= node.min ? false : this.repeat(node, done + 1, end, next),
      );
    if (done < node.min) return more();
    return node.mode === "lazy" ? next(at) || more() : more() || next(at);
  }

  private once(node: Node, at: number, next: Next): boolean {
    let end = -1;
    const found = this.match(node, at, (position) => {
      end = position;
      return true;
    });
    return found && next(end);
  }

  /** A look-behind is matched from its end, which is what its steps are; the answer is found from every place before. */
  private look(node: Node & { kind: "look" }, at: number): boolean {
    if (node.ahead) return this.match(node.body, at, () => true) !== node.negative;
    const turned = new Search([...this.subject.slice(0, at)].reverse().join(""));
    turned.match(reversed(node.body), 0, () => true);
    const steps = this.steps + turned.steps;
    let found = false;
    for (let start = at; start >= 0 && !found; start--)
      found = this.match(node.body, start, (end) => end === at);
    this.steps = steps;
    return found !== node.negative;
  }

  private newline(at: number, next: Next): boolean {
    if (this.subject.startsWith("\r\n", at)) return next(at + 2);
    return /^[\n-\r\x85\u2028\u2029]/.test(this.subject.slice(at, at + 1)) && next(at + 1);
  }
}

function holds(set: CharSet, subject: string, at: number): boolean {
  const code = subject.charCodeAt(at);
  const inRanges = set.ranges.some(([from, to]) => from <= code && code <= to);
  const found =
    inRanges || set.properties.some((property) => new RegExp(property, "u").test(subject.charAt(at)));
  return found !== set.negated;
}

function isAt(assertion: Assertion, subject: string, at: number): boolean {
  const word = (index: number) => /^\w/.test(subject.charAt(index));
  switch (assertion) {
    case "start":
    case "matchStart":
      return at === 0;
    case "end":
      return at === subject.length;
    case "finalEnd":
      return at === subject.length || (at === subject.length - 1 && subject.endsWith("\n"));
    case "lineStart":
      return at === 0 || (subject.charAt(at - 1) === "\n" && at < subject.length);
    case "lineEnd":
      return at === subject.length || subject.charAt(at) === "\n";
    case "notWordBoundary":
      return word(at - 1) === word(at);
    case "wordBoundary":
      return word(at - 1) !== word(at);
    case "wordStart":
      return !word(at - 1) && word(at);
    case "wordEnd":
      return word(at - 1) && !word(at);
  }
}
