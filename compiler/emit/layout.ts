import { columnsOf } from "./tag.js";

/** Columns that a generated line may take; a single literal that is longer stays whole. */
export const WIDTH = 110;

/** A call on one line, or with one argument a line where that is too long. */
export function printCall(callee: string, args: readonly string[], width: number): string {
  const line = `${callee}(${args.join(", ")})`;
  if (columnsOf(line) <= width || args.length < 2) return line;
  return `${callee}(\n${args.map((arg) => `  ${arg},`).join("\n")}\n)`;
}

export function indented(text: string, indent: string): string {
  return text === "" ? "" : text.replace(/^(?=.)/gm, indent);
}
