import type { Credentials } from "../abi/log.js";
import { decodeQueryValue } from "../http/request-values.js";

export const MASK = "***";

/** Returns the lower-case names of query parameters to mask on a path. */
export type MaskedNames = (path: string) => ReadonlySet<string>;

/** A name is masked everywhere; "/verify?ip" masks `ip` on paths that end in "/verify". Entries are lower-case. */
export function maskedNames(entries: readonly string[]): MaskedNames {
  const everywhere = new Set(entries.filter((entry) => !entry.startsWith("/")));
  const ends = new Map<string, Set<string>>();
  for (const entry of entries) {
    const mark = entry.indexOf("?");
    if (!entry.startsWith("/") || mark < 0) continue;
    const end = entry.slice(0, mark);
    ends.set(end, new Set([...everywhere, ...(ends.get(end) ?? []), entry.slice(mark + 1)]));
  }
  if (ends.size === 0) return () => everywhere;
  const [[end, names] = ["", everywhere], ...more] = ends;
  if (more.length === 0) return (path) => (path.endsWith(end) ? names : everywhere);
  return (path) => {
    const found = [...ends].filter(([suffix]) => path.endsWith(suffix)).flatMap(([, set]) => [...set]);
    return found.length === 0 ? everywhere : new Set(found);
  };
}

/** Masks the values of these query parameters; `names` in lower case, matched in any case. */
export function redactedQuery(args: string, names: ReadonlySet<string>): string {
  if (args === "" || names.size === 0) return args;
  let masked = false;
  const pairs = args.split("&").map((pair) => {
    const equals = pair.indexOf("=");
    if (equals < 0 || !names.has(decodeQueryValue(pair.slice(0, equals)).toLowerCase())) return pair;
    masked = true;
    return `${pair.slice(0, equals + 1)}${MASK}`;
  });
  return masked ? pairs.join("&") : args;
}

export function redactedTarget(target: string, names: ReadonlySet<string>): string {
  const mark = target.indexOf("?");
  if (mark < 0 || names.size === 0) return target;
  return target.slice(0, mark + 1) + redactedQuery(target.slice(mark + 1), names);
}

/** Names to mask, in lower case. */
export interface RedactedNames {
  readonly headers: ReadonlySet<string>;
  readonly query: MaskedNames;
}

/** Joins the names of the settings and those that carry credentials in the generation. */
export function redactedNames({ headers, query }: Credentials, credentials: Credentials): RedactedNames {
  return {
    headers: new Set([...headers, ...credentials.headers]),
    query: maskedNames([...query, ...credentials.query]),
  };
}

/** Headers whose value is a URL with a query: the query of one request returns as the Referer of the next. */
const ADDRESSES: ReadonlySet<string> = new Set(["referer", "location", "content-location"]);

/** Reports whether `redactedValue` may change values of this header. */
export const isRedacted = (lower: string, { headers }: RedactedNames): boolean =>
  headers.has(lower) || ADDRESSES.has(lower);

/** Masks a header's value for a log; `lower` is its name in lower case. */
export function redactedValue(lower: string, value: string, redact: RedactedNames): string {
  if (redact.headers.has(lower)) return MASK;
  return redactedInside(lower, value, redact);
}

/** Masks a header's value that a format names: only a URL in it, by the rules for queries. */
export function redactedInside(lower: string, value: string, redact: RedactedNames): string {
  return ADDRESSES.has(lower) ? redactedAddress(value, redact.query) : value;
}

/** User and password of a URL (RFC 3986 3.2.1), with the text in front of them. */
const USER_INFO = /^((?:[a-z][a-z0-9+.-]*:)?\/\/)[^/?#]*@/i;

/** Masks user information, query and fragment: OAuth passes tokens in either of the last two. */
function redactedAddress(written: string, query: MaskedNames): string {
  const address = written.includes("@") ? written.replace(USER_INFO, `$1${MASK}@`) : written;
  const mark = address.search(/[?#]/);
  if (mark < 0) return address;
  const names = query(address.slice(0, mark));
  const hash = address.indexOf("#", mark);
  if (hash < 0) return redactedTarget(address, names);
  return `${redactedTarget(address.slice(0, hash), names)}#${redactedQuery(address.slice(hash + 1), names)}`;
}
