import type { Range } from "../charset.js";

/**
 * A set in RE2's syntax. Never by a name such as `\s`, which means another set there; what is no letter or digit is a code.
 */
export function printRe2Set(ranges: readonly Range[]): string {
  const [only, second] = ranges;
  if (only !== undefined && second === undefined && only[0] === only[1]) return character(only[0]);
  return `[${ranges.map(([from, to]) => (from === to ? character(from) : `${character(from)}-${character(to)}`)).join("")}]`;
}

function character(code: number): string {
  const text = String.fromCodePoint(code);
  if (/^[0-9A-Za-z_/ <>"'=:;,@#%&!~`]$/.test(text)) return text;
  return code <= 0xff ? `\\x${code.toString(16).padStart(2, "0")}` : `\\x{${code.toString(16)}}`;
}
