import { Code } from "../plugin/code.js";

/** Invisible characters and those that reverse the reading direction: an operator must see the real text. */
const HIDDEN = /[^\x20-\x7e\p{L}\p{M}\p{N}\p{P}\p{S}]/gu;
/** Printable ASCII, without hidden characters: a faster test than Unicode classes. */
const PLAIN = /^[\x20-\x7e]*$/;
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;

/** Literal; a text with double quotes is printed in single quotes. */
export function printLiteral(value: string | number | boolean): string {
  if (typeof value !== "string") return String(value);
  const json = JSON.stringify(value);
  const quoted = PLAIN.test(json) ? json : json.replace(HIDDEN, escapeUnits);
  if (!value.includes('"') || value.includes("'")) return quoted;
  return `'${quoted.slice(1, -1).replaceAll('\\"', '"')}'`;
}

export const literalCode = (value: string | number | boolean): Code => new Code(printLiteral(value));

/** Content of a template literal. */
export function printTemplatePart(value: string): string {
  return JSON.stringify(value)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replace(/`|\$\{/g, "\\$&")
    .replace(HIDDEN, escapeUnits);
}

/**
 * @throws RangeError if the name is no identifier, which is a bug of a plugin's view, never of a
 * configuration
 */
export function printIdentifier(name: string): string {
  if (!IDENTIFIER.test(name)) throw new RangeError(`not an identifier: ${JSON.stringify(name)}`);
  return name;
}

/** Maximum length of a name made from words. */
const MAX_NAME = 40;

/** Identifier for words: "audit log" becomes auditLog, "syslog to 10.0.4.7" becomes syslogTo10_0_4_7. */
export function nameFromWords(words: string): string {
  const [first = "value", ...rest] = words.split(/[^A-Za-z0-9]+/).filter((word) => word !== "");
  let name = first.charAt(0).toLowerCase() + first.slice(1, MAX_NAME);
  for (const word of rest) {
    const joined =
      /\d$/.test(name) && /^\d/.test(word) ? `_${word}` : word.charAt(0).toUpperCase() + word.slice(1);
    if (name.length + joined.length <= MAX_NAME) name += joined;
  }
  return /^\d/.test(name) ? `_${name}` : name;
}

/**
 * Key of an object literal. `__proto__: value` would set the prototype; in brackets it is an ordinary name
 * (ECMA-262 B.3.1).
 */
export function printProperty(name: string): string {
  if (name === "__proto__") return '["__proto__"]';
  return IDENTIFIER.test(name) ? name : printLiteral(name);
}

/** Literal of a regular expression; characters beyond ASCII are escaped. */
export function printRegex(source: string, flags: string): string {
  return `/${new RegExp(source, flags).source.replace(/\\.|[^\x20-\x7e]/gs, escapeInRegex)}/${flags}`;
}

/** Comment in one line: no text can end it. */
export function printNote(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return PLAIN.test(line) ? line : line.replace(HIDDEN, "\ufffd");
}

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, i) => unitEscape(character.charCodeAt(i))).join("");
}

/**
 * `written` is an escape or one character; a backslash before a character beyond ASCII means that character.
 */
function escapeInRegex(written: string): string {
  const last = written.charCodeAt(written.length - 1);
  return last >= 0x20 && last <= 0x7e ? written : unitEscape(last);
}

function unitEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
