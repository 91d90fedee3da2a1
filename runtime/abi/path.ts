/**
 * A request's normalized path is matched, read by variables and plugins, and sent, so that the same text
 * selects the route and the resource that responds (docs/paths.md). The compiler normalizes paths of routes
 * and templates in the same way.
 */

import { percentEncode } from "./text/bytes.js";

/** Rules of `gw.path` in the deployment file. */
export interface PathRules {
  /** `%2F` and `%5C` stay escapes; or the request is rejected with 400; or `%2F` separates segments. */
  readonly escapedSlashes: "keep" | "refuse" | "decode";
  readonly mergeSlashes: boolean;
}

export const DEFAULT_PATH_RULES: PathRules = { escapedSlashes: "keep", mergeSlashes: true };

/** Rules for configured paths, whose slashes are merged where `gw.path` is known. */
export const CONFIG_PATH_RULES: PathRules = { escapedSlashes: "keep", mergeSlashes: false };

/** Sparse settings of `gw.path` (schema/deployment.json). */
export interface PathSettings {
  escaped_slashes?: PathRules["escapedSlashes"];
  merge_slashes?: boolean;
}

export function pathRulesFrom(written: PathSettings = {}): PathRules {
  const { escapedSlashes, mergeSlashes } = DEFAULT_PATH_RULES;
  return {
    escapedSlashes: written.escaped_slashes ?? escapedSlashes,
    mergeSlashes: written.merge_slashes ?? mergeSlashes,
  };
}

/** An escape, an empty segment or one with a leading dot, or a character with other spellings: 95 ns for 30 bytes. */
const WORTH_A_LOOK = /[^!$&-;=@-Z_a-z~]|\/[./]/;
const SLASH = 47;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;
const BROKEN = /%(?![0-9A-Fa-f]{2})|%00/;
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;
/** Reserved characters that RFC 3986 allows in a segment: upstreams read them alike, escaped or not. */
const RESERVED_IN_SEGMENT = /^[!$&'()*+,;=:@]$/;
/** Printable characters that RFC 3986 section 3.3 allows nowhere in a path, and a backslash. */
const NOT_IN_PATH = /["<>[\\\]^`{|}]/g;
const MAY_BE_RESPELLED = /[%"<>[\\\]^`{|}]/;
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/;
const LONE_SURROGATE = /[\ud800-\udfff]/gu;
const MAY_HIDE_DOTS = /[%\\;]/;
/** A text without either has no dot, because escaped dots have been decoded. */
const DOT_OR_ESCAPED_ESCAPE = /\.|%25/;

/** Reports whether a path is normalized by any rules, without a closer look. */
export const isPlainPath = (path: string): boolean =>
  path.charCodeAt(0) === SLASH && !WORTH_A_LOOK.test(path);

/** @returns the reason if a received path is invalid (400) */
export function normalPath(received: string, rules: PathRules): string | PathFault {
  const path = respelled(received, rules);
  if (path instanceof PathFault || !DOT_SEGMENT.test(path)) return path;
  return withoutDots(path) ?? new PathFault("it leads above the root");
}

/** For a path of a template and values: its dot segments came with a value and are a fault, not resolved. */
export function normalBuiltPath(made: string, rules: PathRules): string | PathFault {
  const path = respelled(made, rules);
  if (path instanceof PathFault || !DOT_SEGMENT.test(path)) return path;
  return new PathFault("it has a dot segment");
}

export class PathFault {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Upstreams read these differently: escaped slashes, backslashes and empty segments. */
const READ_DIFFERENTLY = /%2f|%5c|\\|\/\//i;
/** Upstreams decode "%2F" (nginx), read a backslash as a slash (IIS), do both, or only merge slashes. */
const SEPARATORS = [/%2f/gi, /%5c|\\/gi, /%2f|%5c|\\/gi];
const ONE_READING: readonly string[] = [];
/** Host name if a URL is made of the path (WHATWG URL section 4.4, "relative slash state"). */
const HOST = /^\/[/\\]+[^/\\]*/;

/** Paths that an upstream may read instead, without dot segments: a path that hides one is rejected. */
export function otherReadings(path: string, { mergeSlashes }: PathRules): readonly string[] {
  if (!READ_DIFFERENTLY.test(path)) return ONE_READING;
  const behindHost = HOST.test(path) ? [path.replace(HOST, "").replaceAll("\\", "/") || "/"] : [];
  const separated = [...SEPARATORS.map((separator) => path.replace(separator, "/")), ...behindHost];
  const readings = new Set([path, ...separated].map(withMergedSlashes));
  // An upstream may merge slashes that the gateway keeps apart, or not.
  if (!mergeSlashes) for (const reading of separated) readings.add(reading);
  readings.delete(path);
  return [...readings];
}

const withMergedSlashes = (path: string): string =>
  path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;

/** Unifies the spelling of escapes and slashes; dot segments stay. */
function respelled(received: string, { escapedSlashes, mergeSlashes }: PathRules): string | PathFault {
  if (BROKEN.test(received)) return new PathFault("it has a broken escape");
  if (escapedSlashes === "refuse" && /%2f|%5c/i.test(received))
    return new PathFault("it has an escaped slash");
  let path = received.includes("%")
    ? received.replace(ESCAPE, (written, digits: string) => spelled(written, digits, escapedSlashes))
    : received;
  if (mergeSlashes) path = withMergedSlashes(path);
  if (MAY_HIDE_DOTS.test(path) && DOT_OR_ESCAPED_ESCAPE.test(path) && path.split("/").some(hidesDots))
    return new PathFault("it has a hidden dot segment");
  return path;
}

function spelled(written: string, digits: string, escapedSlashes: PathRules["escapedSlashes"]): string {
  const upper = digits.toUpperCase();
  if (upper === "2F") return escapedSlashes === "decode" ? "/" : written;
  if (upper === "5C") return written;
  const character = String.fromCharCode(Number.parseInt(upper, 16));
  return UNRESERVED.test(character) ? character : `%${upper}`;
}

/** Maximum rounds; a run of "%25" counts as one. Some upstreams decode twice, hardly any three times. */
const ROUNDS = 3;

/** Reports whether an upstream finds dots: it could decode again, split at "\\" or cut at ";". */
function hidesDots(segment: string): boolean {
  if (!MAY_HIDE_DOTS.test(segment)) return false;
  let text = segment;
  for (let round = 0; round <= ROUNDS; round++) {
    if (text.split(/[/\\]/).some((part) => /^\.{1,2}(?:;|$)/.test(part))) {
      // "." and ".." themselves hide nothing.
      return round > 0 || !/^\.{1,2}$/.test(text);
    }
    const decoded = text
      .replace(/%(?:25)+/g, "%")
      .replace(ESCAPE, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
    if (decoded === text) return false;
    text = decoded;
  }
  return false;
}

/** Resolves dot segments (RFC 3986 section 5.2.4). @returns undefined above the root */
function withoutDots(path: string): string | undefined {
  const kept: string[] = [];
  const segments = path.split("/").slice(1);
  for (const [i, segment] of segments.entries()) {
    const last = i === segments.length - 1;
    if (segment === "..") {
      if (kept.pop() === undefined) return undefined;
      if (last) kept.push("");
    } else if (segment === ".") {
      if (last) kept.push("");
    } else kept.push(segment);
  }
  return `/${kept.join("/")}`;
}

/**
 * Returns the form that routes are matched on, with one spelling for those that every upstream decodes alike.
 * Reserved characters that a segment allows are not escaped; other escapes are in upper case.
 */
export function matchedForm(path: string): string {
  if (!MAY_BE_RESPELLED.test(path)) return path;
  const decoded = path.replace(ESCAPE, (_, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return RESERVED_IN_SEGMENT.test(character) ? character : `%${digits.toUpperCase()}`;
  });
  return decoded.replace(NOT_IN_PATH, percentEncode);
}

/** Placeholders for escapes of a pattern that must stay; no byte string contains them. */
const ESCAPED_STAR = "\u0101";
const ESCAPED_COLON = "\u0102";

/** Returns a route's pattern for matching. An escaped `*` is no wildcard and an escaped ":" begins no parameter. */
export function patternForm(written: string): string | PathFault {
  const escaped = escapedPattern(written)
    .replace(/%(?![0-9A-Fa-f]{2})/g, "%25")
    .replace(/%2a/gi, ESCAPED_STAR)
    .replace(/(?<=\/)%3a/gi, ESCAPED_COLON);
  const path = normalPath(escaped, CONFIG_PATH_RULES);
  if (path instanceof PathFault) return path;
  const wildcard = escaped.search(/\*|\/:/);
  if (wildcard >= 0 && DOT_SEGMENT.test(escaped.slice(wildcard)))
    return new PathFault("it has a dot segment behind a wildcard");
  return matchedForm(path).replaceAll(ESCAPED_STAR, "%2A").replaceAll(ESCAPED_COLON, "%3A");
}

/** Escapes blanks and letters beyond ASCII, which no path contains. @returns undefined if there are none */
export function inEscapes(text: string): string | undefined {
  if (!/[^\x21-\x7e]/.test(text)) return undefined;
  return text.replace(LONE_SURROGATE, "\ufffd").replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

/** Escapes blanks and letters beyond ASCII, and changes nothing else. */
export function escapedPattern(written: string): string {
  return written
    .replace(LONE_SURROGATE, "\ufffd")
    .replace(/[^\0-\x7f]+/g, encodeURIComponent)
    .replace(/[\0-\x20#\x7f]/g, percentEncode)
    .replace(NOT_IN_PATH, percentEncode);
}

/** Unifies escapes in a text that need not be a complete path. */
export function normalEscapes(text: string): string {
  return text.includes("%")
    ? text.replace(ESCAPE, (written, digits: string) => spelled(written, digits, "keep"))
    : text;
}
