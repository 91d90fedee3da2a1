import { FORWARDING_HEADERS, isReservedHeader, onReservedHeader } from "../abi/reserved-header-names.js";
import { foldedName } from "../abi/text/header-edits.js";

/** Headers that the gateway interprets or writes; other spellings mean nothing here, but something to an upstream. */
const OF_THE_WIRE = [
  "content-length",
  "content-type",
  "transfer-encoding",
  "keep-alive",
  "proxy-connection",
] as const;

const GUARDED: ReadonlySet<string> = new Set([...FORWARDING_HEADERS, ...OF_THE_WIRE]);

/** Reports whether a name is an alias of a protected header, as `X_Consumer_Username` is of `X-Consumer-Username`. */
export const isProtectedAlias = (name: string): boolean => {
  const folded = foldedName(name);
  return folded !== name.toLowerCase() && (GUARDED.has(folded) || isReservedHeader(folded));
};

/** First two words of a name of three or more: "x-captcha-" of "x-captcha-result". */
const GROUP = /^[^-]+-[^-]+-/;
const groupOf = (name: string): string => GROUP.exec(name)?.[0] ?? name;
const groups = new Set<string>();
onReservedHeader((name) => groups.add(groupOf(name)));

/**
 * Reports whether a trailer is a header that a plugin reserves, or of its group: any recipient may discard
 * trailers (RFC 9110 section 6.5.1), and applications read families such as `X-Captcha-*`.
 * @param folded name, as `foldedName` returns it
 */
export const isReservedTrailer = (folded: string): boolean =>
  groups.has(folded) || groups.has(groupOf(folded));
