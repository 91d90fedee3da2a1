import { children, groupsIn, type Node } from "../ast.js";
import { emptiness } from "./empty.js";

/** Construct that JavaScript would match differently; `group`: the affected capture (undefined: the match itself). */
export interface Difference {
  at: number;
  reason: string;
  group?: number;
}

const KEEPS =
  "keeps its text from an earlier repetition in PCRE, but is emptied by each repetition in JavaScript";
const EMPTY_ROUND = "may be set by an empty repetition in PCRE, which JavaScript does not make";

/** Differences of repetitions: in the captures afterwards, and in when an empty iteration ends a loop. */
export function repetitionDifferences(node: Node): Difference[] {
  const found: Difference[] = [];
  visit(node, { skippable: undefined, behind: false }, found);
  return found;
}

interface Enclosing {
  /** A repetition in which some iteration can skip the node. */
  skippable: number | undefined;
  /** Inside a lookbehind, which JavaScript matches from right to left. */
  behind: boolean;
  /** Innermost repetition with more than one iteration. */
  loop?: number;
}

function visit(node: Node, around: Enclosing, found: Difference[]): void {
  if (node.kind === "group" && around.skippable !== undefined)
    found.push({ group: node.number, at: around.skippable, reason: `capture ${node.number} ${KEEPS}` });
  let inner = around;
  if (node.kind === "repeat") inner = visitRepeat(node, around, found);
  if (node.kind === "look" && !node.ahead) inner = { ...around, behind: true };
  if (node.kind === "choice" || node.kind === "conditional") inner = { ...around, ...optional(around) };
  for (const child of children(node)) visit(child, inner, found);
}

function optional(around: Enclosing): Partial<Enclosing> {
  return around.loop === undefined ? {} : { skippable: around.loop };
}

function visitRepeat(node: Node & { kind: "repeat" }, around: Enclosing, found: Difference[]): Enclosing {
  const inner = emptiness(node.body);
  /* A repetition of at most one iteration is printed as a choice, which may be empty. */
  const again = node.max > node.min && node.max > 1;
  if (again && inner === "mixed")
    found.push({
      at: node.at,
      reason: "a repetition that prefers the empty text ends the loop only in PCRE",
    });
  if (again && inner !== "never")
    for (const group of groupsIn(node.body))
      found.push({ group, at: node.at, reason: `capture ${group} ${EMPTY_ROUND}` });
  if (around.behind && node.max > 1)
    for (const group of groupsIn(node.body))
      found.push({
        group,
        at: node.at,
        reason: `capture ${group} is filled from right to left in a look-behind`,
      });
  const skip = node.min === 0 ? optional(around) : {};
  return { ...around, ...skip, ...(node.max > 1 ? { loop: node.at } : {}) };
}
