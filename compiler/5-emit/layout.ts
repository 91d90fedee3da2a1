import { columnsOf } from "./tag.js";

/** Maximum columns of a generated line; a single longer literal is not broken. */
export const WIDTH = 110;

/** Prints a call on one line if it fits, otherwise each argument on a line. */
export function printCall(callee: string, args: readonly string[], width: number): string {
  const line = `${callee}(${args.join(", ")})`;
  if (columnsOf(line) <= width || args.length < 2) return line;
  return `${callee}(\n${args.map((arg) => `  ${arg},`).join("\n")}\n)`;
}

export function indented(text: string, indent: string): string {
  return text === "" ? "" : text.replace(/^(?=.)/gm, indent);
}
