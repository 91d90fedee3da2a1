import { groupsIn, type Node, replaceChildren } from "../ast.js";
import { RegexError } from "../regex-error.js";

/** Nested calls can double the size each time. */
const MAX_CALLS = 500;

/**
 * Subroutine calls become copies: `(\d+)\.(?1)` is `(\d+)\.(?:\d+)`. Captures of a call are forgotten when it
 * returns, so a copy has none.
 * @throws RegexError at recursion, and if a copy would refer to a capture of its own
 */
export function inlineCalls(node: Node, groups: ReadonlyMap<number, Node>): Node {
  let calls = 0;
  return of(node, []);

  function of(part: Node, open: readonly number[]): Node {
    if (part.kind === "group") return { ...part, body: of(part.body, [...open, part.number]) };
    if (part.kind !== "call") return replaceChildren(part, (child) => of(child, open));
    const body = groups.get(part.group);
    if (body === undefined || open.includes(part.group)) throw new RegexError("recursion", part.at, true);
    if (++calls > MAX_CALLS) throw new RegexError("too many subroutine calls", part.at, true);
    const own = new Set([part.group, ...groupsIn(body)]);
    return withoutGroups(of(body, [...open, part.group]), own);
  }
}

function withoutGroups(node: Node, own: ReadonlySet<number>): Node {
  if (node.kind === "backReference" && own.has(node.group))
    throw new RegexError("a subroutine call that refers to its own captures", node.at, true);
  if (node.kind === "group") return { kind: "sequence", items: [withoutGroups(node.body, own)] };
  return replaceChildren(node, (child) => withoutGroups(child, own));
}

/** `(?(DEFINE)...)` matches nothing, but its groups can be called, and count. */
export function definition(body: Node): Node {
  return { kind: "repeat", body, min: 0, max: 0, mode: "greedy", at: 0 };
}
