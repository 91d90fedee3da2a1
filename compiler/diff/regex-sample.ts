import type { Regex } from "../model/plan.js";
import type { Node } from "../regex/ast.js";
import type { CharSet } from "../regex/charset.js";
import { parseRegex } from "../regex/translate.js";

/** Preferred characters: readable, and unescaped in paths and headers. */
const PLEASANT = [..."a1/-_.bcxyz0A"].map((character) => character.charCodeAt(0));
const VARIANTS = [0, 1, 2];
const LONGEST = 200;

/** Returns the shortest text first; none if none was found. */
export function matchingTexts({ pattern, options, source, flags }: Regex): string[] {
  const tree = parseRegex(pattern, options);
  if (tree === undefined) return [];
  const matches = new RegExp(source, flags.replace(/[gy]/g, ""));
  const texts = VARIANTS.map((extra) => sample(tree, extra));
  return [...new Set(texts)].filter((text) => text.length <= LONGEST && matches.test(text));
}

function sample(node: Node, extra: number): string {
  switch (node.kind) {
    case "set":
      return memberOf(node.set);
    case "sequence":
      return node.items.map((item) => sample(item, extra)).join("");
    case "choice":
      return sample(node.branches[extra % node.branches.length] ?? node, extra);
    case "group":
    case "atomic":
      return sample(node.body, extra);
    case "repeat": {
      const text = sample(node.body, extra);
      // Longer texts are dropped later. The bound also keeps nested counts below V8's maximum string length.
      const enough = Math.ceil((LONGEST + 1) / Math.max(text.length, 1));
      return text.repeat(Math.min(node.max, Math.max(node.min, extra), enough));
    }
    case "conditional":
      return sample(node.yes, extra);
    case "newline":
      return "\n";
    default:
      return "";
  }
}

function memberOf({ ranges, negated }: CharSet): string {
  const has = (code: number) => ranges.some(([from, to]) => from <= code && code <= to) !== negated;
  const code = PLEASANT.find(has) ?? ranges[0]?.[0];
  return code === undefined ? "" : String.fromCodePoint(code);
}
