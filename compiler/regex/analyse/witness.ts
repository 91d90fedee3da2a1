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
