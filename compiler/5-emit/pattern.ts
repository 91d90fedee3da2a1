import type { Regex } from "../model/plan.js";
import { Code } from "../plugin/code.js";
import { printCall, WIDTH } from "./layout.js";
import { printLiteral, printRegex } from "./printers.js";
import type { ModuleScope } from "./scope.js";

/** Columns of `const uriPattern2 = `, the semicolon and a reserve for longer names. */
const DECLARATION = 24;

/** Prints a pattern for its engine: a literal, or a call with the form that a linear engine runs. */
export function patternCode(regex: Regex, scope: ModuleScope): Code {
  const { source, flags, engine, linear } = regex;
  const literal = printRegex(source, flags);
  if (engine === "backtracking" || linear === undefined) return new Code(literal);
  const { groups, ends, upTo, notAtEnd = false } = linear;
  const form = engine === "linear" ? printRegex(linear.source, "") : printLiteral(linear.source);
  const same = groups.every((group, i) => group === i + 1) && ends.length === 0 && !notAtEnd;
  const numbers = same
    ? []
    : [`[${groups.join(", ")}]`, ...(ends.length === 0 && !notAtEnd ? [] : [`[${ends.join(", ")}]`])];
  const more = notAtEnd ? ["true"] : [];
  const args = [literal, String(upTo), form, ...numbers, ...more].map((arg) => new Code(arg));
  return printCall(scope.imported(engine === "linear" ? "linear" : "re2"), args, WIDTH - DECLARATION);
}

/** Source comment of a pattern, with its cost if its engine is not the usual one. */
export function patternNote(origin: string, { engine, cost }: Regex): string {
  return engine === "backtracking" ? origin : `${origin}; ${cost}`;
}
