import type { Node } from "../ast.js";
import { LAST_CODE_POINT, setOf } from "../charset.js";
import { isUnrolled, NOTHING, type Part } from "../cost/part.js";
import { GUARDS } from "../cost/regular.js";

/** The pattern is not regular, or too large to be unrolled. */
export class NotExactError extends Error {}

const ANY: Part = { kind: "set", set: setOf([[0, LAST_CODE_POINT]]) };
const ANYTHING: Part = { kind: "repeat", body: ANY, min: 0, max: Number.POSITIVE_INFINITY };
/** No target has a line end (RFC 9112 section 3.2). */
const NO_CHARACTER: Part = { kind: "set", set: setOf([]) };

/**
 * Regular terms to decide which targets contain a match.
 * @param exact if false, the result may match more: lookarounds always hold, atomic groups give back,
 * backreferences match anything
 * @throws NotExactError
 */
export function languageOf(node: Node, exact: boolean): Part {
  const of = (part: Node): Part => languageOf(part, exact);
  const widened = (part: () => Part): Part => {
    if (exact) throw new NotExactError();
    return part();
  };
  switch (node.kind) {
    case "set":
      return node.set.properties.length > 0 ? widened(() => ANY) : { kind: "set", set: node.set };
    case "newline":
      return NO_CHARACTER;
    case "assertion":
      return { kind: "guard", guard: GUARDS[node.assertion] ?? 0 };
    case "group":
      return of(node.body);
    case "sequence":
      return { kind: "sequence", items: node.items.map(of) };
    case "choice":
      return { kind: "choice", branches: node.branches.map(of) };
    case "repeat":
      return node.mode === "possessive" ? widened(() => repeated(node, false)) : repeated(node, exact);
    case "atomic":
      return widened(() => of(node.body));
    case "look":
      return widened(() => NOTHING);
    case "conditional":
      return widened(() => ({ kind: "choice", branches: [of(node.yes), of(node.no)] }));
    case "backReference":
      return widened(() => ANYTHING);
    case "call":
      throw new NotExactError();
  }
}

/** Counts that are not unrolled are loops in the automaton. */
function repeated({ body, min, max }: Node & { kind: "repeat" }, exact: boolean): Part {
  if (max === 0) return NOTHING;
  const part = { kind: "repeat", body: languageOf(body, exact), min, max } as const;
  const counts = max === Number.POSITIVE_INFINITY ? { ...part, max: min } : part;
  if (exact && !isUnrolled(counts)) throw new NotExactError();
  return part;
}
