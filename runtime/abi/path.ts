/**
 * The one form of a request's path. It is matched, seen by variables and plugins, and sent, so that the route that
 * decides and the resource that answers are chosen by the same text (docs/paths.md). The compiler brings the paths of
 * routes and of templates into the same form.
 */

/** `gw.path` of the deployment file. */
export interface PathRules {
  /** Treatment of `%2F` and `%5C`: they stay escapes; the request is answered 400; `%2F` separates segments. */
  readonly escapedSlashes: "keep" | "refuse" | "decode";
  /** Several slashes in a row become one. */
  readonly mergeSlashes: boolean;
}

export const DEFAULT_PATH_RULES: PathRules = { escapedSlashes: "keep", mergeSlashes: true };

/** Rules for paths of the configuration: their slashes are counted where `gw.path` is known. */
export const CONFIG_PATH_RULES: PathRules = { escapedSlashes: "keep", mergeSlashes: false };

/** `gw.path` as it is written (schema/deployment.json). */
export interface PathSettings {
  escaped_slashes?: PathRules["escapedSlashes"];
  merge_slashes?: boolean;
}

/** `gw.path` over its defaults. */
export function pathRulesFrom(written: PathSettings = {}): PathRules {
  const { escapedSlashes, mergeSlashes } = DEFAULT_PATH_RULES;
  return {
    escapedSlashes: written.escaped_slashes ?? escapedSlashes,
    mergeSlashes: written.merge_slashes ?? mergeSlashes,
  };
}

/** An escape, a segment that begins with a dot or is empty, anything that could be spelled in another way: 95 ns for 30 bytes. */
const WORTH_A_LOOK = /[^!$&-;=@-Z_a-z~]|\/[./]/;
const SLASH = 47;
const ESCAPE = /%([0-9A-Fa-f]{2})/g;
const BROKEN = /%(?![0-9A-Fa-f]{2})|%00/;
const UNRESERVED = /^[A-Za-z0-9\-._~]$/;
/** What RFC 3986 lets stand in a segment though it is reserved: upstreams read it alike, escaped or not. */
const RESERVED_IN_SEGMENT = /^[!$&'()*+,;=:@]$/;
/** Printable, but for no place in a path (RFC 3986 section 3.3), and a backslash. */
const NOT_IN_PATH = /["<>[\\\]^`{|}]/g;
const MAY_BE_RESPELLED = /[%"<>[\\\]^`{|}]/;
const DOT_SEGMENT = /(?:^|\/)\.{1,2}(?:\/|$)/;
const LONE_SURROGATE = /[\ud800-\udfff]/gu;
const MAY_HIDE_DOTS = /[%\\;]/;
/** Without either there is no dot to be found, since an escaped one has been decoded. */
const DOT_OR_ESCAPED_ESCAPE = /\.|%25/;

/** Nothing of the path needs a look: it is its own normal form, whatever the rules. */
export const isPlainPath = (path: string): boolean =>
  path.charCodeAt(0) === SLASH && !WORTH_A_LOOK.test(path);

/** The normal form of a received path, or why it has none (400). */
export function normalPath(received: string, rules: PathRules): string | PathFault {
  const path = respelled(received, rules);
  if (path instanceof PathFault || !DOT_SEGMENT.test(path)) return path;
  return withoutDots(path) ?? new PathFault("it leads above the root");
}

/**
 * The normal form of a path that was made of a template and values. A dot segment in it came with a value, and so is
 * refused where one that a client writes is resolved.
 */
export function normalBuiltPath(made: string, rules: PathRules): string | PathFault {
  const path = respelled(made, rules);
  if (path instanceof PathFault || !DOT_SEGMENT.test(path)) return path;
  return new PathFault("it has a dot segment");
}

/** Why a path cannot be served. */
export class PathFault {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Escaped slashes, backslashes and empty segments: upstreams differ in what they make of them. */
const READ_DIFFERENTLY = /%2f|%5c|\\|\/\//i;
/** Upstreams decode "%2F" (nginx), read a backslash as a slash (IIS), do both, or merge slashes alone. */
const SEPARATORS = [/%2f/gi, /%5c|\\/gi, /%2f|%5c|\\/gi];
const ONE_READING: readonly string[] = [];
/** Read as the name of a host where a URL is made of the path (WHATWG URL section 4.4, "relative slash state"). */
const HOST = /^\/[/\\]+[^/\\]*/;

/**
 * Returns the other paths that an upstream may read in a path in normal form; none for nearly every path. They have no dot
 * segments: a path that hides one has no normal form.
 */
export function otherReadings(path: string, { mergeSlashes }: PathRules): readonly string[] {
  if (!READ_DIFFERENTLY.test(path)) return ONE_READING;
  const behindHost = HOST.test(path) ? [path.replace(HOST, "").replaceAll("\\", "/") || "/"] : [];
  const separated = [...SEPARATORS.map((separator) => path.replace(separator, "/")), ...behindHost];
  const readings = new Set([path, ...separated].map(withMergedSlashes));
  // Slashes that are told apart are kept apart by the upstream too, or not.
  if (!mergeSlashes) for (const reading of separated) readings.add(reading);
  readings.delete(path);
  return [...readings];
}

const withMergedSlashes = (path: string): string =>
  path.includes("//") ? path.replace(/\/{2,}/g, "/") : path;

/** Escapes and slashes in their one spelling; dot segments stay. */
function respelled(received: string, { escapedSlashes, mergeSlashes }: PathRules): string | PathFault {
  if (BROKEN.test(received)) return new PathFault("it has a broken escape");
  if (escapedSlashes === "refuse" && /%2f|%5c/i.test(received))
    return new PathFault("it has an escaped slash");
  let path = received.includes("%")
    ? received.replace(ESCAPE, (written, digits: string) => spelled(written, digits, escapedSlashes))
    : received;
  if (mergeSlashes) path = withMergedSlashes(path);
  if (MAY_HIDE_DOTS.test(path) && DOT_OR_ESCAPED_ESCAPE.test(path) && path.split("/").some(hidesDots))
    return new PathFault("it has a dot segment in disguise");
  return path;
}

function spelled(written: string, digits: string, escapedSlashes: PathRules["escapedSlashes"]): string {
  const upper = digits.toUpperCase();
  if (upper === "2F") return escapedSlashes === "decode" ? "/" : written;
  if (upper === "5C") return written;
  const character = String.fromCharCode(Number.parseInt(upper, 16));
  return UNRESERVED.test(character) ? character : `%${upper}`;
}

/** Rounds of decoding that are looked at; a run of "%25" counts as one. Upstreams that decode twice exist, three times hardly. */
const ROUNDS = 3;

/** Whether an upstream could read a dot segment where there is none: decoding once more, splitting at "\\", cutting at ";". */
function hidesDots(segment: string): boolean {
  if (!MAY_HIDE_DOTS.test(segment)) return false;
  let text = segment;
  for (let round = 0; round <= ROUNDS; round++) {
    if (text.split(/[/\\]/).some((part) => /^\.{1,2}(?:;|$)/.test(part))) {
      // "." and ".." themselves are no disguise.
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

/** RFC 3986 section 5.2.4; undefined above the root. */
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
 * What routes compare: of a path in normal form the spellings that every upstream decodes to the same are made one.
 * Reserved characters that may stand in a segment stand for themselves, others are escapes in upper case.
 */
export function matchedForm(path: string): string {
  if (!MAY_BE_RESPELLED.test(path)) return path;
  const decoded = path.replace(ESCAPE, (_, digits: string) => {
    const character = String.fromCharCode(Number.parseInt(digits, 16));
    return RESERVED_IN_SEGMENT.test(character) ? character : `%${digits.toUpperCase()}`;
  });
  return decoded.replace(NOT_IN_PATH, percentEncode);
}

/** Stand for escapes of a pattern that are not to be undone; no byte string holds them. */
const ESCAPED_STAR = "\u0101";
const ESCAPED_COLON = "\u0102";

/**
 * A route's pattern in the form that it is compared in. An escaped `*` is no wildcard and an escaped ":" begins no
 * parameter, so these stay escapes.
 */
export function patternForm(written: string, rules: PathRules = CONFIG_PATH_RULES): string | PathFault {
  const escaped = escapedPattern(written)
    .replace(/%(?![0-9A-Fa-f]{2})/g, "%25")
    .replace(/%2a/gi, ESCAPED_STAR)
    .replace(/(?<=\/)%3a/gi, ESCAPED_COLON);
  const path = normalPath(escaped, rules);
  if (path instanceof PathFault) return path;
  const wildcard = escaped.search(/\*|\/:/);
  if (wildcard >= 0 && DOT_SEGMENT.test(escaped.slice(wildcard)))
    return new PathFault("it has a dot segment behind a wildcard");
  return matchedForm(path).replaceAll(ESCAPED_STAR, "%2A").replaceAll(ESCAPED_COLON, "%3A");
}

/** A text with what no path holds as it is, blanks and letters beyond ASCII, in escapes; undefined when it has no such thing. */
export function inEscapes(text: string): string | undefined {
  if (!/[^\x21-\x7e]/.test(text)) return undefined;
  return text.replace(LONE_SURROGATE, "\ufffd").replace(/[^\x21-\x7e]+/g, encodeURIComponent);
}

/** What no path holds as it is (blanks, letters beyond ASCII) in escapes, nothing else changed. */
export function escapedPattern(written: string): string {
  return written
    .replace(LONE_SURROGATE, "\ufffd")
    .replace(/[^\0-\x7f]+/g, encodeURIComponent)
    .replace(/[\0-\x20#\x7f]/g, percentEncode)
    .replace(NOT_IN_PATH, percentEncode);
}

/** Escapes in their one spelling, of a text that need not be a whole path. */
export function normalEscapes(text: string): string {
  return text.includes("%")
    ? text.replace(ESCAPE, (written, digits: string) => spelled(written, digits, "keep"))
    : text;
}

function percentEncode(byte: string): string {
  return `%${byte.charCodeAt(0).toString(16).toUpperCase().padStart(2, "0")}`;
}
