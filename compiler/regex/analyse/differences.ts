import { children, groupsIn, type Node } from "../ast.js";
import { hasCases } from "../folding.js";
import { emptiness } from "./empty.js";

export type GroupState = "set" | "unset" | "unknown";

interface Known {
  /** Groups that have matched on every path to this point. */
  set: ReadonlySet<number>;
  /** Groups that have matched on some path to this point. */
  maybe: ReadonlySet<number>;
}

/** PCRE fails at a reference to an unset group, JavaScript takes it as empty: its state there must be known. */
export function backReferences(
  node: Node,
  bodies: ReadonlyMap<number, Node>,
  utf: boolean,
): { standing: ReadonlyMap<Node, GroupState>; differences: readonly Difference[] } {
  const walk = new Walk(bodies, utf);
  // The sets of each path grow with the number of groups: 5,000 groups take seconds.
  if (!refersBack(node)) return walk;
  walk.through(node, { set: new Set(), maybe: new Set() }, new Set());
  return walk;
}

function refersBack(node: Node): boolean {
  return node.kind === "backReference" || children(node).some(refersBack);
}

class Walk {
  readonly standing = new Map<Node, GroupState>();
  readonly differences: Difference[] = [];
  readonly #bodies: ReadonlyMap<number, Node>;
  readonly #utf: boolean;

  constructor(bodies: ReadonlyMap<number, Node>, utf: boolean) {
    this.#bodies = bodies;
    this.#utf = utf;
  }

  through(at: Node, before: Known, behind: ReadonlySet<number>): Known {
    switch (at.kind) {
      case "backReference":
        this.#note(at, before, behind);
        return before;
      case "sequence":
        return at.items.reduce((known, item) => this.through(item, known, behind), before);
      case "choice":
        return either(at.branches.map((branch) => this.through(branch, before, behind)));
      case "conditional": {
        const after = this.through(at.condition, before, behind);
        return either([this.through(at.yes, after, behind), this.through(at.no, after, behind)]);
      }
      case "group": {
        const after = this.through(at.body, before, behind);
        return { set: new Set([...after.set, at.number]), maybe: new Set([...after.maybe, at.number]) };
      }
      case "look": {
        const inner = at.ahead ? behind : new Set([...behind, ...groupsIn(at.body)]);
        const after = this.through(at.body, before, inner);
        return at.negative ? before : after;
      }
      case "repeat":
        return this.#throughRepeat(at, before, behind);
      case "atomic":
        return this.through(at.body, before, behind);
      default:
        return before;
    }
  }

  #throughRepeat(at: Node & { kind: "repeat" }, before: Known, behind: ReadonlySet<number>): Known {
    const own = groupsIn(at.body);
    const start =
      at.max > 1
        ? {
            set: new Set([...before.set].filter((group) => !own.includes(group))),
            maybe: new Set([...before.maybe, ...own]),
          }
        : before;
    const after = this.through(at.body, start, behind);
    return at.min > 0 ? after : { set: before.set, maybe: new Set([...before.maybe, ...after.maybe]) };
  }

  #note(at: Node & { kind: "backReference" }, before: Known, behind: ReadonlySet<number>): void {
    const state = before.set.has(at.group) ? "set" : before.maybe.has(at.group) ? "unknown" : "unset";
    this.standing.set(at, state);
    const reason = this.#difference(at, state, behind);
    if (reason !== undefined) this.differences.push({ at: at.at, reason });
  }

  #difference(
    { group, caseless }: Node & { kind: "backReference" },
    state: GroupState,
    behind: ReadonlySet<number>,
  ): string | undefined {
    if (state === "unknown")
      return `group ${group} may be unset here, where PCRE fails and JavaScript continues`;
    if (caseless && state === "set" && !isCaseless(this.#bodies.get(group), this.#utf))
      return "a back reference that ignores case";
    return behind.has(group) ? "a reference to a group of the same look-behind" : undefined;
  }
}

/** Ignoring case makes no difference to a text without letters. */
function isCaseless(node: Node | undefined, utf: boolean): boolean {
  if (node === undefined) return false;
  if (node.kind === "set") return node.set.properties.length === 0 && !hasCases(node.set.ranges, utf);
  if (node.kind === "backReference") return false;
  return children(node).every((child) => isCaseless(child, utf));
}

function either(ways: readonly Known[]): Known {
  const [first, ...rest] = ways;
  const set = new Set([...(first?.set ?? [])].filter((group) => rest.every((way) => way.set.has(group))));
  return { set, maybe: new Set(ways.flatMap((way) => [...way.maybe])) };
}

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
