import { findVariable } from "./variable.js";

export const CREDENTIAL =
  /auth(?!or(?!iz)|entic)|keyring|private|cookie|secret|token|passw|passphrase|jwt|api[-_]?key|(?:access|subscription|signing|shared|master)[-_]?key|credential|session/i;

export type TextRange = readonly [start: number, end: number];

/**
 * `//user:password@` and `//token@`; JSON may escape a slash. Also `user:password@` at the start of a word,
 * unless it is a scheme such as `mailto:`.
 */
const USER =
  /(?:(?:\\?\/){2}([^\s/\\@"'?#<>]+)|(?<![^\s"'`=])(?!(?:mailto|sips?|xmpp|acct):)([\w.%+~-]+:[^\s/\\@"'?#<>()[\]{}|]+))@(?=[\w.[*-])/dgi;
/**
 * `?token=`, `&token=` and `;token=`; JSON may escape the "&". Also `token=` at the start of a text without
 * syntax of regular expressions: `token=[0-9]{6}` is no credential, but the mask of one is.
 */
const ARGUMENT = /(?:^(?=(?:[^()[\]{}|^\\*+\s]|\*{3}[0-9a-f]{8})*$)|[?&;]|\\u0026)([^\s=&;?#"'\\,]+)=/g;
/** Continues after a ";", part of the value for servers that do not use it as a separator. */
const VALUE = /[^&#\s"'\\,]+/y;

export interface Names {
  has(name: string): boolean;
}

const USUAL: Names = { has: (name) => CREDENTIAL.test(name) };

/** User information and arguments with names of credentials, in URLs of a text. Ascending, without overlaps. */
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
    // An argument inside of the previous value is already covered.
    if (VALUE.lastIndex < behind || !names.has(name)) continue;
    const start = VALUE.lastIndex;
    behind = start + (VALUE.exec(text)?.[0].length ?? 0);
    if (behind > start) found.push([start, behind]);
  }
  return found;
}

/** `${{VAR}}`, `${name}`, `${name ?? default}` and `$name`; a default is literal text. */
const REFERENCE =
  /\$\{\{\s*[A-Za-z_]\w*\s*\}\}|\$\{\s*([A-Za-z_][\w.]*)\s*\}|\$(\d+)|\$([A-Za-z_]\w*(?:\.\w+)*)/g;

/** Parts outside of variables, whose names reveal nothing. An unknown variable is literal text. */
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

/** Replaces each non-blank character by `*`, so that columns do not change. */
export function starred(text: string, stretches: readonly TextRange[]): string {
  return stretches.reduce(
    (shown, [start, end]) =>
      shown.slice(0, start) + shown.slice(start, end).replace(/\S/g, "*") + shown.slice(end),
    text,
  );
}

export function withoutAddressCredentials(text: string, names: Names): string {
  return addressCredentials(text, names).reduceRight(
    (shown, [start, end]) => `${shown.slice(0, start)}***${shown.slice(end)}`,
    text,
  );
}
