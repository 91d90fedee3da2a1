import type { Standing } from "./analyse/backreference.js";
import { ACCEPT, type Follow, firstOf, isMadePossessive, neverGivesBack } from "./analyse/follow.js";
import type { Assertion, Node } from "./ast.js";
import { RegexFault } from "./fault.js";
import { printSet } from "./print-set.js";

export interface PrintSettings {
  utf: boolean;
  /** Groups of the pattern: helper groups must come after them, or `$n` would mean another group. */
  groups: number;
  standing: ReadonlyMap<Node, Standing>;
}

/**
 * Prints a pattern as JavaScript source.
 * @throws RegexFault at an atomic group that would need a helper group in front of a capture
 */
export function printPattern(node: Node, settings: PrintSettings): string {
  const printer = new Printer(settings);
  return printer.print(node, ACCEPT);
}

const ASSERTIONS: Readonly<Record<Assertion, string>> = {
  start: "^",
  end: "$",
  finalEnd: "(?=\\n?$)",
  /* PCRE finds no line after a final line feed. A fifth of the time of (?:^|(?<=\n)(?!$)): 24 and 132 µs for 64 kB. */
  lineStart: "(?<![^\\n])(?:(?!$)|^)",
  lineEnd: "(?=\\n|$)",
  matchStart: "^",
  wordBoundary: "\\b",
  notWordBoundary: "\\B",
  wordStart: "\\b(?=\\w)",
  wordEnd: "\\b(?<=\\w)",
};

class Printer {
  readonly settings: PrintSettings;
  /** Groups opened so far, helpers included. */
  private opened = 0;
  private behind = false;

  constructor(settings: PrintSettings) {
    this.settings = settings;
  }

  print(node: Node, follow: Follow): string {
    switch (node.kind) {
      case "set":
        return printSet(node.set, this.settings.utf);
      case "newline":
        return this.settings.utf
          ? "(?:\\r\\n|(?!\\r\\n)[\\n-\\r\\u{85}\\u{2028}\\u{2029}])"
          : "(?:\\r\\n|(?!\\r\\n)[\\n-\\r\\x85])";
      case "assertion":
        return ASSERTIONS[node.assertion];
      case "sequence":
        return this.sequence(node.items, follow);
      case "choice":
        return node.branches.map((branch) => this.print(branch, follow)).join("|");
      case "group":
        this.opened++;
        return `(${this.print(node.body, follow)})`;
      case "look":
        return this.look(node);
      case "conditional":
        return this.conditional(node, follow);
      case "backReference":
        return this.settings.standing.get(node) === "unset" ? "(?!)" : `(?:\\${node.group})`;
      case "atomic":
        return this.atomic(node.body, node.at, follow);
      case "repeat":
        return this.repeat(node, follow);
    }
  }

  private sequence(items: readonly Node[], follow: Follow): string {
    const follows: Follow[] = [];
    let next = follow;
    for (const item of [...items].reverse()) {
      follows.unshift(next);
      next = firstOf(item, next);
    }
    return items
      .map((item, i) => {
        const text = this.print(item, follows[i]);
        return item.kind === "choice" ? `(?:${text})` : text;
      })
      .join("");
  }

  private look(node: Node & { kind: "look" }): string {
    const outer = this.behind;
    this.behind = !node.ahead;
    const text = this.print(node.body, node.ahead ? ACCEPT : undefined);
    this.behind = outer;
    return `(?${node.ahead ? "" : "<"}${node.negative ? "!" : "="}${text})`;
  }

  /** Printed twice, the condition may hold no capture. */
  private conditional(node: Node & { kind: "conditional" }, follow: Follow): string {
    const before = this.opened;
    const condition = this.look(node.condition);
    if (this.opened > before) throw new RegexFault("a capture in a condition", node.at, true);
    const inverse = this.look({ ...node.condition, negative: !node.condition.negative });
    const yes = this.sequence([node.yes], follow);
    const no = this.sequence([node.no], follow);
    return `(?:${condition}${yes}|${inverse}${no})`;
  }

  private repeat(node: Node & { kind: "repeat" }, follow: Follow): string {
    const made = node.mode !== "possessive" && isMadePossessive(node, follow);
    if (made === "unknown")
      throw new RegexFault(
        "\\R, or a class that shares characters with it, next to a repetition",
        node.at,
        true,
      );
    if (node.mode !== "possessive" && !made) return this.plainRepeat(node, follow);
    const greedy = { ...node, mode: "greedy" as const };
    if (hasOneWay(greedy) || neverGivesBack(greedy, follow)) return this.plainRepeat(greedy, follow);
    return this.helper(() => this.plainRepeat(greedy, ACCEPT), node.at);
  }

  private plainRepeat(node: Node & { kind: "repeat" }, follow: Follow): string {
    const { body, min, max } = node;
    const inside = max > 1 ? undefined : follow;
    const text = this.print(body, inside);
    const single = body.kind === "set" || body.kind === "group" || body.kind === "newline";
    return (single ? text : `(?:${text})`) + quantifier(min, max) + (node.mode === "lazy" ? "?" : "");
  }

  private atomic(body: Node, at: number, follow: Follow): string {
    if (hasOneWay(body) || neverGivesBack(body, follow)) return `(?:${this.print(body, follow)})`;
    return this.helper(() => this.print(body, ACCEPT), at);
  }

  /** No way back into it: a look-ahead captures the text, and a reference consumes it. */
  private helper(print: () => string, at: number): string {
    if (this.behind) throw new RegexFault("an atomic group in a look-behind", at, true);
    const number = ++this.opened;
    if (number <= this.settings.groups)
      throw new RegexFault("an atomic group or possessive quantifier in front of a capture", at, true);
    return `(?=(${print()}))(?:\\${number})`;
  }
}

function quantifier(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  if (min === 0 && max === 1) return "?";
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

/** A node that can match at a place in one way only. */
function hasOneWay(node: Node): boolean {
  switch (node.kind) {
    case "set":
    case "assertion":
    case "look":
    case "atomic":
    case "newline":
    case "backReference":
      return true;
    case "group":
      return hasOneWay(node.body);
    case "sequence":
      return node.items.every(hasOneWay);
    case "repeat":
      return (node.min === node.max || node.mode === "possessive") && hasOneWay(node.body);
    default:
      return false;
  }
}
