import { RESERVED_HEADERS } from "../abi/reserved-header-names.js";
import { foldedName } from "../abi/text/header-edits.js";

/** Headers that name the client or its request; only a trusted proxy's are believed. */
export const FORWARDING_HEADERS = [
  "x-real-ip",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-port",
  "forwarded",
] as const;

/** Headers that the gateway interprets or writes; other spellings mean nothing here, but something to an upstream. */
const OF_THE_WIRE = [
  "content-length",
  "content-type",
  "transfer-encoding",
  "keep-alive",
  "proxy-connection",
] as const;

const GUARDED: ReadonlySet<string> = new Set([...FORWARDING_HEADERS, ...RESERVED_HEADERS, ...OF_THE_WIRE]);

/** Reports whether a name is an alias of a protected header, as `X_Consumer_Username` is of `X-Consumer-Username`. */
export const isProtectedAlias = (name: string): boolean => {
  const folded = foldedName(name);
  return folded !== name.toLowerCase() && GUARDED.has(folded);
};
