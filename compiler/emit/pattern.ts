import type { Regex } from "../plan/plan.js";
import { printCall, WIDTH } from "./layout.js";
import { printLiteral, printRegex } from "./printers.js";
import type { ModuleScope } from "./scope.js";

/** Columns that `const uriPattern0 = ` and a semicolon take. */
const DECLARATION = 24;

/** A pattern on its engine: a literal, or a call that names the form which a linear engine runs. */
export function patternCode(regex: Regex, scope: ModuleScope): string {
  const { source, flags, engine, linear } = regex;
  const literal = printRegex(source, flags);
  if (engine === "backtracking" || linear === undefined) return literal;
  const { groups, ends, upTo, notAtEnd = false } = linear;
  const form = engine === "linear" ? printRegex(linear.source, "") : printLiteral(linear.source);
  const same = groups.every((group, i) => group === i + 1) && ends.length === 0 && !notAtEnd;
  const numbers = same
    ? []
    : [`[${groups.join(", ")}]`, ...(ends.length === 0 && !notAtEnd ? [] : [`[${ends.join(", ")}]`])];
  const more = notAtEnd ? ["true"] : [];
  const callee = scope.imported(engine === "linear" ? "linear" : "re2").text;
  return printCall(callee, [literal, String(upTo), form, ...numbers, ...more], WIDTH - DECLARATION);
}

/** The note above a pattern: where it comes from, and what its engine is when it is not the usual one. */
export function patternNote(origin: string, { engine, cost }: Regex): string {
  return engine === "backtracking" ? origin : `${origin}; ${cost}`;
}
