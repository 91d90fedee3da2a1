import { findVariable } from "../plan/variable.js";

/** Names whose values are somebody's credentials more often than not. */
export const CREDENTIAL =
  /auth(?!or(?!iz)|entic)|keyring|private|cookie|secret|token|passw|passphrase|jwt|api[-_]?key|(?:access|subscription|signing|shared|master)[-_]?key|credential|session/i;

/** A stretch of a text: offsets. */
export type Stretch = readonly [start: number, end: number];

/** `//user:password@` and `//token@`; JSON may escape a slash. */
const USER = /(?:\\?\/){2}([^\s/\\@"'?#<>]+)@/dg;
/** `?token=…` and `&token=…`, the "&" as JSON may escape it too. */
const ARGUMENT = /(?:[?&]|\\u0026)([\w.[\]%-]+)=([^&#\s"'\\,]+)/dg;

/** User information, and arguments with names of credentials, of the addresses in a text. */
export function addressCredentials(text: string): Stretch[] {
  const users = text.includes("@") ? [...text.matchAll(USER)] : [];
  const values = text.includes("=")
    ? [...text.matchAll(ARGUMENT)].filter(([, name = ""]) => CREDENTIAL.test(name))
    : [];
  const stretch = (found: RegExpExecArray, group: number): Stretch[] => {
    const place = found.indices?.[group];
    return place === undefined ? [] : literalStretches(text, place);
  };
  return [...users.flatMap((one) => stretch(one, 1)), ...values.flatMap((one) => stretch(one, 2))];
}

/** `${{VAR}}`, `${name}`, `${name ?? default}` and `$name`: what a default says is literal. */
const REFERENCE =
  /\$\{\{\s*[A-Za-z_]\w*\s*\}\}|\$\{\s*([A-Za-z_][\w.]*)\s*\}|\$(\d+)|\$([A-Za-z_]\w*(?:\.\w+)*)/g;

/** The stretch without the variables in it, whose names tell nothing; what is none only looks like one. */
export function literalStretches(text: string, [from, to]: Stretch): Stretch[] {
  const found: Stretch[] = [];
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
export function starred(text: string, stretches: readonly Stretch[]): string {
  return stretches.reduce(
    (shown, [start, end]) =>
      shown.slice(0, start) + shown.slice(start, end).replace(/\S/g, "*") + shown.slice(end),
    text,
  );
}

/** A message with `***` in the place of each. */
export function withoutAddressCredentials(text: string): string {
  return [...addressCredentials(text)]
    .sort(([a], [b]) => b - a)
    .reduce((shown, [start, end]) => `${shown.slice(0, start)}***${shown.slice(end)}`, text);
}
