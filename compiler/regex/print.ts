import type { GroupState } from "./analyse/differences.js";
import { emptiness } from "./analyse/empty.js";
import {
  ACCEPT,
  type Follow,
  isMadePossessive,
  isUnambiguous,
  neverGivesBack,
  UNKNOWN,
} from "./analyse/follow.js";
import { type Assertion, children, groupsIn, type Node } from "./ast.js";
import { printSequence, printSet } from "./print-parts.js";
import { RegexError } from "./regex-error.js";

export interface PrintSettings {
  utf: boolean;
  /** No helper group may precede a used capture, or `$n` would mean another group. */
  usedCaptures: ReadonlySet<number>;
  groupStates: ReadonlyMap<Node, GroupState>;
  /** Called for a repetition that PCRE2's optimizer makes possessive, and so this printer too. */
  onMadePossessive?: () => void;
}

/** @throws RegexError at an atomic group that would need a helper group in front of a capture */
export function printPattern(node: Node, settings: PrintSettings): string {
  const printer = new Printer(settings);
  return printer.print(node, ACCEPT);
}

const ASSERTIONS: Readonly<Record<Assertion, string>> = {
  start: "^",
  end: "$",
  finalEnd: "(?=\\n?$)",
  /* PCRE has no line behind a final line feed. 24 µs for 64 kB; (?:^|(?<=\n)(?!$)) takes 132 µs. */
  lineStart: "(?<![^\\n])(?:(?!$)|^)",
  lineEnd: "(?=\\n|$)",
  matchStart: "^",
  wordBoundary: "\\b",
  notWordBoundary: "\\B",
  wordStart: "\\b(?=\\w)",
  wordEnd: "\\b(?<=\\w)",
};

/** No line begins at an invalid byte: for PCRE2_MATCH_INVALID_UTF, a separate text follows it. */
const UTF_LINE_START = "(?<![^\\n])(?:(?![\\u{d800}-\\u{dfff}]|$)|^)";

/** Nested conditions double the text with each level. */
const MAX_REPEATED = 65_536;

class Printer {
  readonly settings: PrintSettings;
  /** Includes helpers. */
  #opened = 0;
  /** JavaScript's number of each group. */
  readonly #numbers = new Map<number, number>();
  /** The first construct that needed a helper group. */
  #firstHelper: number | undefined;
  #behind = false;
  #repeated = 0;

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
        return this.settings.utf && node.assertion === "lineStart"
          ? UTF_LINE_START
          : ASSERTIONS[node.assertion];
      case "sequence":
        return this.#sequence(node.items, follow);
      case "choice":
        return node.branches.map((branch) => this.print(branch, follow)).join("|");
      case "group":
        this.#open(node.number);
        return `(${this.print(node.body, follow)})`;
      case "look":
        return this.#look(node);
      case "conditional":
        return this.#conditional(node, follow);
      case "backReference":
        return this.settings.groupStates.get(node) === "unset"
          ? "(?!)"
          : `(?:\\${this.#numbers.get(node.group)})`;
      case "call":
        throw new RegexError("recursion", node.at, true);
      case "atomic":
        return this.#atomic(node.body, node.at, follow);
      case "repeat":
        return this.#repeat(node, follow);
    }
  }

  #sequence(items: readonly Node[], follow: Follow): string {
    return printSequence(items, follow, (item, next) => this.print(item, next));
  }

  #look(node: Node & { kind: "look" }): string {
    return lookOf(node, node.negative, this.#looked(node));
  }

  #looked(node: Node & { kind: "look" }): string {
    const outer = this.#behind;
    this.#behind = !node.ahead;
    const text = this.print(node.body, node.ahead ? ACCEPT : UNKNOWN);
    this.#behind = outer;
    return text;
  }

  /** The condition is printed twice: it may not hold a capture or be long. */
  #conditional(node: Node & { kind: "conditional" }, follow: Follow): string {
    if (this.#behind && node.alone)
      throw new RegexError("a condition without else in a look-behind", node.at, true);
    const before = this.#opened;
    const { negative } = node.condition;
    const looked = this.#looked(node.condition);
    if (this.#opened > before) throw new RegexError("a capture in a condition", node.at, true);
    this.#repeated += looked.length;
    if (this.#repeated > MAX_REPEATED) throw new RegexError("conditions nested too deep", node.at, true);
    const condition = lookOf(node.condition, negative, looked);
    const inverse = lookOf(node.condition, !negative, looked);
    const yes = this.#sequence([node.yes], follow);
    const no = this.#sequence([node.no], follow);
    return `(?:${condition}${yes}|${inverse}${no})`;
  }

  #repeat(node: Node & { kind: "repeat" }, follow: Follow): string {
    const made = node.mode !== "possessive" && isMadePossessive(node, follow);
    if (made === "unknown")
      throw new RegexError(
        "a repetition that PCRE2 makes, or may make, possessive by mistake",
        node.at,
        true,
      );
    if (made) this.settings.onMadePossessive?.();
    if (node.mode !== "possessive" && !made) return this.#plainRepeat(node, follow);
    const greedy = { ...node, mode: "greedy" as const };
    if (isUnambiguous(greedy) || neverGivesBack(greedy, follow)) return this.#plainRepeat(greedy, follow);
    return this.#canEndByLookahead(node)
      ? this.#endedByLookahead(node)
      : this.#helper(() => this.#plainRepeat(greedy, ACCEPT), node.at);
  }

  /** With one path and no capture in each iteration, the next characters decide where the repetition can end. */
  #canEndByLookahead({ body }: Node & { kind: "repeat" }): boolean {
    return (
      !this.#behind &&
      isUnambiguous(body) &&
      emptiness(body) === "never" &&
      groupsIn(body).length === 0 &&
      !mayNeedHelper(body)
    );
  }

  /** `a*+` is `a*(?!a)`, and `a{0,3}+` is `a{3}|a{0,2}(?!a)`. */
  #endedByLookahead({ body, min, max, at }: Node & { kind: "repeat" }): string {
    const rounds = (low: number, high: number): string =>
      this.#plainRepeat({ kind: "repeat", body, min: low, max: high, mode: "greedy", at }, UNKNOWN);
    const ended = `(?!${this.print(body, UNKNOWN)})`;
    if (max === Infinity) return `(?:${rounds(min, max)}${ended})`;
    const fewer = max - 1 === 0 ? "" : rounds(min, max - 1);
    return `(?:${rounds(max, max)}|${fewer}${ended})`;
  }

  #plainRepeat(node: Node & { kind: "repeat" }, follow: Follow): string {
    const { body, min, max } = node;
    if (max === 0 && groupsIn(body).length === 0) return "";
    const inside = max > 1 ? UNKNOWN : follow;
    const text = this.print(body, inside);
    /* JavaScript drops an empty iteration, but not an empty branch: (a*)? sets capture 1 in PCRE. */
    if (min === 0 && max === 1 && emptiness(body) !== "never")
      return node.mode === "lazy" ? `(?:|${text})` : `(?:${text}|)`;
    const single = body.kind === "set" || body.kind === "group" || body.kind === "newline";
    return (single ? text : `(?:${text})`) + quantifier(min, max) + (node.mode === "lazy" ? "?" : "");
  }

  #atomic(body: Node, at: number, follow: Follow): string {
    const last = follow.end && follow.known && follow.next.length === 0;
    if (last || isUnambiguous(body) || neverGivesBack(body, follow)) return `(?:${this.print(body, follow)})`;
    if (body.kind === "repeat" && body.mode === "greedy" && this.#canEndByLookahead(body))
      return this.#endedByLookahead(body);
    return this.#helper(() => this.print(body, ACCEPT), at);
  }

  #open(group: number): void {
    const number = ++this.#opened;
    this.#numbers.set(group, number);
    if (this.#firstHelper !== undefined && this.settings.usedCaptures.has(group))
      throw new RegexError(
        "an atomic group or possessive quantifier in front of a capture",
        this.#firstHelper,
        true,
      );
  }

  /** Without backtracking: a lookahead captures the text, and a reference consumes it. */
  #helper(print: () => string, at: number): string {
    if (this.#behind) throw new RegexError("an atomic group in a look-behind", at, true);
    const number = ++this.#opened;
    this.#firstHelper ??= at;
    return `(?=(${print()}))(?:\\${number})`;
  }
}

function lookOf({ ahead }: { ahead: boolean }, negative: boolean, text: string): string {
  return `(?${ahead ? "" : "<"}${negative ? "!" : "="}${text})`;
}

function quantifier(min: number, max: number): string {
  if (max === Infinity) return min === 0 ? "*" : min === 1 ? "+" : `{${min},}`;
  if (min === 0 && max === 1) return "?";
  return min === max ? `{${min}}` : `{${min},${max}}`;
}

/** Reports whether a part may need a helper group, which cannot be printed twice. */
function mayNeedHelper(node: Node): boolean {
  if (node.kind === "atomic" && !isUnambiguous(node.body)) return true;
  if (node.kind === "repeat" && node.mode === "possessive" && node.min !== node.max) return true;
  return children(node).some(mayNeedHelper);
}
