import { Code, code, joinCode } from "../plugin/code.js";

/** Boolean expression before its layout, which depends on the remaining width. */
export type Logical = { join: "&&" | "||"; items: Logical[] } | Test;

interface Test {
  test: Code;
  /** Negated test. */
  inverse: Code;
  /** Local that is not undefined if the test is true. */
  present?: string | undefined;
  /** Local that is not undefined if the test is false. */
  presentOtherwise?: string | undefined;
}

/** Negates an expression down to its tests: `a && b` becomes `!a || !b`. */
export function invert(tree: Logical): Logical {
  if ("test" in tree) {
    const { test, inverse, present, presentOtherwise } = tree;
    return { test: inverse, inverse: test, present: presentOtherwise, presentOtherwise: present };
  }
  return { join: tree.join === "&&" ? "||" : "&&", items: tree.items.map(invert) };
}

export const TRUE: Logical = { join: "&&", items: [] };
export const FALSE: Logical = { join: "||", items: [] };

/** Group without items that cannot change its result, so that `if (true)` never appears in generated code. */
export function group(join: "&&" | "||", items: readonly Logical[]): Logical {
  const absorbing = join === "&&" ? isFalse : isTrue;
  const neutral = join === "&&" ? isTrue : isFalse;
  if (items.some(absorbing)) return join === "&&" ? FALSE : TRUE;
  const rest = items
    .filter((item) => !neutral(item))
    .flatMap((item) => ("join" in item && item.join === join ? item.items : [item]));
  const [only] = rest;
  return rest.length === 1 && only !== undefined ? only : { join, items: rest };
}

export function isTrue(tree: Logical): boolean {
  return "join" in tree && tree.join === "&&" && tree.items.length === 0;
}

export function isFalse(tree: Logical): boolean {
  return "join" in tree && tree.join === "||" && tree.items.length === 0;
}

/** Locals that are not undefined if the expression is true, as far as TypeScript finds out too. */
export function presentIn(tree: Logical): ReadonlySet<string> {
  if ("test" in tree) return new Set(tree.present === undefined ? [] : [tree.present]);
  const [first = new Set<string>(), ...others] = tree.items.map(presentIn);
  if (tree.join === "&&") return new Set([first, ...others].flatMap((names) => [...names]));
  return new Set([...first].filter((name) => others.every((names) => names.has(name))));
}

/** Prints an expression on one line. */
export function flat(tree: Logical): Code {
  if ("test" in tree) return tree.test;
  if (tree.items.length === 0) return new Code(tree.join === "&&" ? "true" : "false");
  return joinCode(
    tree.items.map((item) => enclosed(item, flat(item))),
    ` ${tree.join} `,
  );
}

/**
 * Prints an expression with one item on each line and bracketed groups indented.
 * @param width columns for a line
 */
export function broken(tree: Logical, width: number): Code {
  if ("test" in tree || tree.items.length < 2) return flat(tree);
  const lines = tree.items.map((item) => {
    const line = enclosed(item, flat(item));
    if (line.length + 3 <= width || "test" in item) return line;
    return code`(\n  ${broken(item, width - 2)}\n)`;
  });
  return joinCode(lines, ` ${tree.join}\n`);
}

function enclosed(tree: Logical, text: Code): Code {
  return "test" in tree || tree.items.length < 2 ? text : code`(${text})`;
}
