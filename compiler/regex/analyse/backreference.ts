import { children, groupsIn, type Node } from "../ast.js";
import { hasCases } from "../folding.js";
import type { Difference } from "./captures.js";

/** What is known about a group where a back reference to it stands. */
export type Standing = "set" | "unset" | "unknown";

interface Known {
  /** Groups that have matched on every way here. */
  set: ReadonlySet<number>;
  /** Groups that have matched on some way here. */
  maybe: ReadonlySet<number>;
}

/**
 * PCRE fails on a reference to a group that has not matched, JavaScript takes it for empty. So each reference must be
 * known to be one or the other.
 */
export function backReferences(
  node: Node,
  bodies: ReadonlyMap<number, Node>,
  utf: boolean,
): { standing: Map<Node, Standing>; differences: Difference[] } {
  const standing = new Map<Node, Standing>();
  const differences: Difference[] = [];
  walk(node, { set: new Set(), maybe: new Set() }, new Set());
  return { standing, differences };

  function walk(at: Node, before: Known, behind: ReadonlySet<number>): Known {
    switch (at.kind) {
      case "backReference":
        note(at, before, behind);
        return before;
      case "sequence":
        return at.items.reduce((known, item) => walk(item, known, behind), before);
      case "choice":
        return either(at.branches.map((branch) => walk(branch, before, behind)));
      case "conditional": {
        const after = walk(at.condition, before, behind);
        return either([walk(at.yes, after, behind), walk(at.no, after, behind)]);
      }
      case "group": {
        const after = walk(at.body, before, behind);
        return { set: new Set([...after.set, at.number]), maybe: new Set([...after.maybe, at.number]) };
      }
      case "look": {
        const inner = at.ahead ? behind : new Set([...behind, ...groupsIn(at.body)]);
        const after = walk(at.body, before, inner);
        return at.negative ? before : after;
      }
      case "repeat":
        return walkRepeat(at, before, behind);
      case "atomic":
        return walk(at.body, before, behind);
      default:
        return before;
    }
  }

  function walkRepeat(at: Node & { kind: "repeat" }, before: Known, behind: ReadonlySet<number>): Known {
    const own = groupsIn(at.body);
    const start =
      at.max > 1
        ? {
            set: new Set([...before.set].filter((group) => !own.includes(group))),
            maybe: new Set([...before.maybe, ...own]),
          }
        : before;
    const after = walk(at.body, start, behind);
    return at.min > 0 ? after : { set: before.set, maybe: new Set([...before.maybe, ...after.maybe]) };
  }

  function note(at: Node & { kind: "backReference" }, before: Known, behind: ReadonlySet<number>): void {
    const state = before.set.has(at.group) ? "set" : before.maybe.has(at.group) ? "unknown" : "unset";
    standing.set(at, state);
    if (state === "unknown")
      differences.push({
        at: at.at,
        reason: `group ${at.group} may be unset here, where PCRE fails and JavaScript goes on`,
      });
    else if (at.caseless && state === "set" && !isCaseless(bodies.get(at.group), utf))
      differences.push({ at: at.at, reason: "a back reference that ignores case" });
    else if (behind.has(at.group))
      differences.push({ at: at.at, reason: "a reference to a group of the same look-behind" });
  }
}

/** A text without letters is compared the same way with and without regard to case. */
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
