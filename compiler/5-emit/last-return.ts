import { Code } from "../plugin/code.js";

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
