import { EMPTY, type Node } from "../ast.js";
import { setOf, single } from "../charset.js";
import { LINE_FEED } from "../classes.js";

/**
 * The pattern in pure regular terms, for an analysis by automaton: look-arounds are left out, atomic groups are plain
 * groups, back references repeat the text of their group. Each look-around and atomic group comes back as a pattern of
 * its own. `exact` is false when the result may try more ways than the pattern does.
 */
export interface Approximation {
  main: Node;
  inner: Node[];
  exact: boolean;
}

export function approximate(node: Node): Approximation {
  const inner: Node[] = [];
  const bodies = new Map<number, Node>();
  let exact = true;
  return { main: of(node), inner, exact };

  function of(part: Node): Node {
    switch (part.kind) {
      case "group": {
        const body = of(part.body);
        bodies.set(part.number, body);
        return body;
      }
      case "sequence":
        return { kind: "sequence", items: part.items.map(of) };
      case "choice":
        return { kind: "choice", branches: part.branches.map(of) };
      case "repeat":
        if (part.mode === "possessive") exact = false;
        return { ...part, body: of(part.body), mode: part.mode === "lazy" ? "lazy" : "greedy" };
      case "atomic":
        exact = false;
        inner.push(of(part.body));
        return of(part.body);
      case "look":
        exact = false;
        inner.push(of(part.body));
        return EMPTY;
      case "conditional":
        exact = false;
        inner.push(of(part.condition.body));
        return { kind: "choice", branches: [of(part.yes), of(part.no)] };
      case "backReference":
        exact = false;
        return bodies.get(part.group) ?? EMPTY;
      case "newline":
        return { kind: "choice", branches: [{ kind: "sequence", items: [single13, single10] }, VERTICAL] };
      case "assertion":
        return ofAssertion(part);
      case "set":
        return part;
    }
  }

  function ofAssertion(part: Node & { kind: "assertion" }): Node {
    switch (part.assertion) {
      case "start":
      case "matchStart":
        return { ...part, assertion: "start" };
      case "end":
      case "finalEnd":
        return { ...part, assertion: "end" };
      case "lineEnd":
        return { kind: "choice", branches: [single10, { ...part, assertion: "end" }] };
      default:
        exact = false;
        return EMPTY;
    }
  }
}

const single13: Node = { kind: "set", set: single(0x0d) };
const single10: Node = { kind: "set", set: single(LINE_FEED) };
const VERTICAL: Node = { kind: "set", set: setOf([[0x0a, 0x0d]]) };
