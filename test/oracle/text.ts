import type { TargetTemplate, Text, TextPart } from "../../compiler/model/plan.js";
import type { State } from "./state.js";
import { linesOfVariable, type Value, variable } from "./variables.js";

/** What may be shown of the value of a variable. */
type Shown = (name: string, value: Value) => Value;

function partText(part: TextPart, state: State, shown: Shown = (_, value) => value): string {
  if ("literal" in part) return part.literal;
  if ("capture" in part) return state.captures?.[part.capture] ?? "";
  return String(shown(part.variable, variable(part.variable, state)) ?? part.fallback ?? "");
}

/** A text that is neither a header nor a target: its parts, one after another. */
export function plainText(text: Text, state: State, shown: Shown = (_, value) => value): string {
  return text.map((part) => partText(part, state, shown)).join("");
}

/**
 * Header values of one text: no blanks around them, and nothing in them that could end the line. The first variable that is a field of
 * lines that are never joined makes a value of each of them, and none without any.
 */
export function fieldValues(text: Text, state: State): string[] {
  const at = text.findIndex(
    (part) => "variable" in part && linesOfVariable(part.variable, state) !== undefined,
  );
  const part = text[at];
  const whole = (parts: Text) => parts.map((one) => partText(one, state)).join("");
  const clean = (value: string) =>
    value.replace(/[\0-\x08\x0a-\x1f\x7f]/g, escapedByte).replace(/^[ \t]+|[ \t]+$/g, "");
  if (part === undefined || !("variable" in part)) return [clean(whole(text))];
  const found = linesOfVariable(part.variable, state) ?? [];
  const lines = found.length === 0 && part.fallback !== undefined ? [part.fallback] : found;
  return lines.map((line) => clean(whole(text.slice(0, at)) + line + whole(text.slice(at + 1))));
}

const escapedByte = (byte: string) => `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;

/** Letters, digits and the marks that may stand for themselves in a path (RFC 3986 section 3.3). */
const IN_PATH = new Set([
  ..."ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~!$&'()*+,;=:@/",
]);
/** In one value of a query everything that separates parameters is data. */
const IN_QUERY_VALUE = new Set([...IN_PATH].filter((mark) => !"!$&'()*+;=".includes(mark)));
/** What can stand in a request line at all. */
const IN_TARGET = new Set(
  Array.from({ length: 0x7f - 0x21 }, (_, i) => String.fromCharCode(0x21 + i)).filter((mark) => mark !== "#"),
);

function encoded(value: string, allowed: ReadonlySet<string>): string {
  return [...value].map((byte) => (allowed.has(byte) ? byte : escapedByte(byte))).join("");
}

/** A text that is percent-encoded already: its escapes stay, a lone "%" is encoded. */
function encodedAgain(value: string, allowed: ReadonlySet<string>): string {
  return value
    .split(/(%[0-9A-Fa-f]{2})/)
    .map((piece, i) => (i % 2 === 1 ? piece : encoded(piece, allowed)))
    .join("");
}

/** Escapes in upper case, those of unreserved characters undone; an escaped slash stays as it is. */
function inOneSpelling(text: string): string {
  return text.replace(/%[0-9A-Fa-f]{2}/g, (written) => {
    if (/2f|5c/i.test(written)) return written;
    const character = String.fromCharCode(Number(`0x${written.slice(1)}`));
    return /[\w.~-]/.test(character) ? character : written.toUpperCase();
  });
}

const ALREADY_ENCODED = new Set(["args", "query_string", "request_uri", "real_request_uri"]);

/** A new request target (reference 16.4, 16.5): literals are encoded in the plan, values here, once. */
export function target(template: TargetTemplate, raw: boolean, state: State): string {
  const inPlace = (part: TextPart, place: "path" | "query"): string => {
    const value = partText(part, state);
    if ("literal" in part) return value;
    const again = "variable" in part && ALREADY_ENCODED.has(part.variable);
    const ofPath = "capture" in part || /^uri$|^uri_param_/.test(part.variable);
    if (raw) return encoded(value, IN_TARGET);
    if (place === "path") return again || ofPath ? pathAgain(value) : encoded(value, IN_PATH);
    if (ofPath) return queryAgain(value);
    return again ? encoded(value, IN_TARGET) : encoded(value, IN_QUERY_VALUE);
  };
  const path = template.path.map((part) => inPlace(part, "path")).join("");
  if (template.query === null) return path;
  return `${path}?${template.query.map((part) => inPlace(part, "query")).join("")}`;
}

/** A part of a path, in normal form, for another path or as a value of a query. */
export const pathAgain = (value: string) => inOneSpelling(encodedAgain(value, IN_PATH));
export const queryAgain = (value: string) => inOneSpelling(encodedAgain(value, IN_QUERY_VALUE));
export const targetText = (value: string) => encoded(value, IN_TARGET);

/** The client's query behind a new target, without an empty pair. */
export function withQuery(target: string, query: string): string {
  if (query === "") return target;
  if (!target.includes("?")) return `${target}?${query}`;
  return /[?&]$/.test(target) && (target.endsWith("&") || target.indexOf("?") === target.length - 1)
    ? `${target}${query}`
    : `${target}&${query}`;
}
