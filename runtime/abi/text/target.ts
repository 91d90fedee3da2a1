/**
 * Request targets: values of variables and captures are percent-encoded once, for their place (reference 16.4
 * and 16.5). All texts are byte strings; an absent value is the empty text.
 */

import { normalEscapes } from "../path.js";
import { percentEncode } from "./bytes.js";

type Value = string | number | undefined;

/** RFC 3986 section 3.3: unreserved, sub-delims, ":", "@" and the "/" between segments. */
const NOT_IN_PATH = /[^A-Za-z0-9\-._~!$&'()*+,;=:@/]/g;
/** Includes characters that separate parameters or have a meaning in them ("&", "=", "+", ";" …). */
const NOT_IN_QUERY_VALUE = /[^A-Za-z0-9\-._~:@/,]/g;
/** The same sets for a text that is percent-encoded already. */
const NOT_IN_ESCAPED_PATH = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~!$&'()*+,;=:@/%]/g;
const NOT_IN_ESCAPED_QUERY_VALUE = /%(?![0-9A-Fa-f]{2})|[^A-Za-z0-9\-._~:@/,%]/g;
/** Controls, blanks, bytes beyond ASCII, and "#", which a request line never contains. */
const NOT_IN_TARGET = /[^\x21\x22\x24-\x7e]/g;

/** Encodes `value` inside a path. */
export function pathText(value: Value): string {
  return encode(value, NOT_IN_PATH);
}

/** Encodes `value` inside a query, as one value. */
export function queryText(value: Value): string {
  return encode(value, NOT_IN_QUERY_VALUE);
}

/** Encodes a percent-encoded value (`$uri`, captures, `$args`) inside a path: valid escapes stay. */
export function escapedPathText(value: Value): string {
  return normalEscapes(encode(value, NOT_IN_ESCAPED_PATH));
}

/** Encodes a part of a path (`$uri`, captures) inside a query, as one value: valid escapes stay. */
export function escapedQueryText(value: Value): string {
  return normalEscapes(encode(value, NOT_IN_ESCAPED_QUERY_VALUE));
}

/** Encodes only bytes that would break the request line, for unsafe mode or `$args` in a query. */
export function rawText(value: Value): string {
  return encode(value, NOT_IN_TARGET);
}

function encode(value: Value, excluded: RegExp): string {
  if (value === undefined) return "";
  return String(value).replace(excluded, percentEncode);
}

/** Appends the client's query to a new target; a template that ends in "?" or "&" gets no empty pair. */
export function joinQuery(target: string, args: string): string {
  if (args === "") return target;
  const mark = target.indexOf("?");
  if (mark < 0) return `${target}?${args}`;
  return target.endsWith("&") || mark === target.length - 1 ? target + args : `${target}&${args}`;
}

/**
 * Puts `replacement` (already encoded) for `found` in the normalized path and appends the client's query. The
 * text around the match is encoded for its place.
 */
export function replaceInPath(found: RegExpExecArray, replacement: string, args: string): string {
  const after = found.input.slice(found.index + found[0].length);
  const rest = replacement.includes("?") ? escapedQueryText(after) : escapedPathText(after);
  return joinQuery(absolute(escapedPathText(found.input.slice(0, found.index)) + replacement + rest), args);
}

export function replaceInTarget(found: RegExpExecArray, replacement: string): string {
  const after = found.input.slice(found.index + found[0].length);
  return absolute(rawText(found.input.slice(0, found.index) + replacement + after));
}

/** Adds the "/" at the start: a replacement may have removed it. */
function absolute(target: string): string {
  return target.startsWith("/") ? target : `/${target}`;
}

/** Removes all parameters of the name; spellings that decode to the name count too. */
export function withoutParameter(target: string, name: string): string {
  const mark = target.indexOf("?");
  if (mark < 0) return target;
  const pairs = target
    .slice(mark + 1)
    .split("&")
    .filter((pair) => decodedName(pair) !== name);
  return pairs.length === 0 ? target.slice(0, mark) : `${target.slice(0, mark + 1)}${pairs.join("&")}`;
}

function decodedName(pair: string): string {
  const name = pair.split("=", 1)[0] ?? "";
  return name
    .replaceAll("+", " ")
    .replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}
