import { findVariable } from "../plan/variable.js";

/** Names whose values are somebody's credentials more often than not. */
export const CREDENTIAL =
  /auth(?!or(?!iz)|entic)|keyring|private|cookie|secret|token|passw|passphrase|jwt|api[-_]?key|(?:access|subscription|signing|shared|master)[-_]?key|credential|session/i;

/** A stretch of a text: offsets. */
export type TextRange = readonly [start: number, end: number];

/**
 * `//user:password@` and `//token@`; JSON may escape a slash. And `user:password@` at the beginning of a word, which is no scheme of addresses
 * of people.
 */
const USER =
  /(?:(?:\\?\/){2}([^\s/\\@"'?#<>]+)|(?<![^\s"'`=])(?!(?:mailto|sips?|xmpp|acct):)([\w.%+~-]+:[^\s/\\@"'?#<>()[\]{}|]+))@(?=[\w.[*-])/dgi;
/**
 * `?token=`, `&token=` and `;token=`, the "&" as JSON may escape it too; `token=` at the beginning of a text without what only a regular
 * expression has: `token=[0-9]{6}` is no credential. The mask of one is.
 */
const ARGUMENT = /(?:^(?=(?:[^()[\]{}|^\\*+\s]|\*{3}[0-9a-f]{8})*$)|[?&;]|\\u0026)([^\s=&;?#"'\\,]+)=/g;
/** Goes on behind a ";", which is a part of a value for those who take it for no separator. */
const VALUE = /[^&#\s"'\\,]+/y;

/** Names that say of what they name whether it is a credential. */
export interface Names {
  has(name: string): boolean;
}

const USUAL: Names = { has: (name) => CREDENTIAL.test(name) };

/** User information, and arguments with names of credentials, of the addresses in a text. Ascending and apart. */
export function addressCredentials(text: string, names: Names = USUAL): TextRange[] {
  const users = text.includes("@")
    ? Array.from(text.matchAll(USER), ({ indices }) => indices?.[1] ?? indices?.[2] ?? [0, 0])
    : [];
  const places = [...users, ...valuesOf(text, names)].sort(([a], [b]) => a - b);
  let behind = 0;
  const apart: TextRange[] = [];
  for (const [start, end] of places) {
    if (end > behind) apart.push([Math.max(start, behind), end]);
    behind = Math.max(behind, end);
  }
  return apart.flatMap((place) => literalStretches(text, place));
}

function valuesOf(text: string, names: Names): TextRange[] {
  if (!text.includes("=")) return [];
  const found: TextRange[] = [];
  let behind = 0;
  for (const { 0: begin, 1: name = "", index } of text.matchAll(ARGUMENT)) {
    VALUE.lastIndex = index + begin.length;
    // One that stands in the value before is covered with it.
    if (VALUE.lastIndex < behind || !names.has(name)) continue;
    const start = VALUE.lastIndex;
    behind = start + (VALUE.exec(text)?.[0].length ?? 0);
    if (behind > start) found.push([start, behind]);
  }
  return found;
}

/** `${{VAR}}`, `${name}`, `${name ?? default}` and `$name`: what a default says is literal. */
const REFERENCE =
  /\$\{\{\s*[A-Za-z_]\w*\s*\}\}|\$\{\s*([A-Za-z_][\w.]*)\s*\}|\$(\d+)|\$([A-Za-z_]\w*(?:\.\w+)*)/g;

/** The stretch without the variables in it, whose names tell nothing; what is none only looks like one. */
export function literalStretches(text: string, [from, to]: TextRange): TextRange[] {
  const found: TextRange[] = [];
  let start = from;
  for (const reference of text.slice(from, to).matchAll(REFERENCE)) {
    const [whole, braced, , plain] = reference;
    const name = braced ?? plain;
    if (name !== undefined && findVariable(name) === undefined) continue;
    const at = from + reference.index;
    if (start < at) found.push([start, at]);
    start = at + whole.length;
  }
  if (start < to) found.push([start, to]);
  return found;
}

/** The text with each character of these stretches replaced, blanks apart: columns stay what they are. */
export function starred(text: string, stretches: readonly TextRange[]): string {
  return stretches.reduce(
    (shown, [start, end]) =>
      shown.slice(0, start) + shown.slice(start, end).replace(/\S/g, "*") + shown.slice(end),
    text,
  );
}

/** A message with `***` in the place of each. */
export function withoutAddressCredentials(text: string, names: Names): string {
  return addressCredentials(text, names).reduceRight(
    (shown, [start, end]) => `${shown.slice(0, start)}***${shown.slice(end)}`,
    text,
  );
}
