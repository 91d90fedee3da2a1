import { children, type Node } from "../ast.js";
import type { CharSet } from "../charset.js";

/** Texts that let the positive look-arounds of a pattern hold: to stand before and after an attack. */
export interface Surroundings {
  before: string;
  after: string;
}

/** A short text for each look-around, one after the other: `(?<=x)(?=.*[A-Z])(?=.*[0-9])` has "x" before and "A0" after. */
export function surroundings(node: Node): Surroundings {
  const inner = children(node).map(surroundings);
  const before = inner.map((one) => one.before).join("");
  const after = inner.map((one) => one.after).join("");
  if (node.kind !== "look" || node.negative) return { before, after };
  const text = shortest(node.body);
  return node.ahead ? { before, after: text + after } : { before: before + text, after };
}

/** A repetition without limit, and a text that leads to it from the beginning of the pattern. */
export interface Loop {
  loop: Node;
  before: string;
}

/** The outermost repetitions without limit, in the order of the pattern. */
export function loops(node: Node, before = ""): Loop[] {
  switch (node.kind) {
    case "repeat":
      return node.max === Number.POSITIVE_INFINITY ? [{ loop: node, before }] : loops(node.body, before);
    case "sequence": {
      let text = before;
      return node.items.flatMap((item) => {
        const found = loops(item, text);
        text += shortest(item);
        return found;
      });
    }
    case "choice":
      return node.branches.flatMap((branch) => loops(branch, before));
    case "group":
    case "atomic":
      return loops(node.body, before);
    default:
      return [];
  }
}

function shortest(node: Node): string {
  switch (node.kind) {
    case "set":
      return member(node.set);
    case "newline":
      return "\n";
    case "sequence":
      return node.items.map(shortest).join("");
    case "choice":
      return node.branches.map(shortest).reduce((a, b) => (b.length < a.length ? b : a));
    case "repeat":
      return shortest(node.body).repeat(Math.min(node.min, 64));
    case "group":
    case "atomic":
      return shortest(node.body);
    case "conditional":
      return shortest(node.yes);
    default:
      return "";
  }
}

/** A printable character where the set has one. */
function member({ ranges, negated }: CharSet): string {
  const holds = (code: number) => ranges.some(([from, to]) => from <= code && code <= to) !== negated;
  for (let code = 0x7e; code >= 0x20; code--) if (holds(code)) return String.fromCharCode(code);
  return String.fromCodePoint(ranges[0]?.[0] ?? 0);
}
