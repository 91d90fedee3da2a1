import { Code, code, joinCode } from "../plugin/code.js";

/** Maximum columns of a generated line; a single longer literal is not broken. */
export const WIDTH = 110;

/** Prints a call on one line if it fits, otherwise each argument on a line. */
export function printCall(callee: Code, args: readonly Code[], width: number): Code {
  const line = code`${callee}(${joinCode(args, ", ")})`;
  return line.length <= width || args.length < 2 ? line : code`${callee}(${onLines(args)})`;
}

/** Prints each item on a line of its own, indented. */
export function onLines(items: readonly Code[]): Code {
  return new Code(["\n", ...items.flatMap((item) => ["  ", item, ",\n"])]);
}

/** `return;` at the end of code, also of blocks that end there. */
const LAST_RETURN = /(?<=[;}])\n *return;((?:\n *\})*)$/;

/**
 * Returns the code of the last step of a phase without the `return;` at its end. Templates contain it, because
 * other steps may follow.
 */
export function withoutLastReturn({ parts, kind, path }: Code): Code {
  const last = parts.at(-1);
  const kept = typeof last === "string" ? last.replace(LAST_RETURN, "$1") : last;
  return new Code(kept === undefined ? parts : [...parts.slice(0, -1), kept], kind, path);
}
