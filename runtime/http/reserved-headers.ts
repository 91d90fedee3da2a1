import { RESERVED_HEADERS } from "../abi/reserved-header-names.js";
import { foldedName } from "../abi/text/header-edits.js";

/** Fields that say something about observed addresses; only a trusted peer's are believed. */
export const FORWARDING_HEADERS = [
  "x-real-ip",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-port",
  "forwarded",
] as const;

/** Fields that the wire reads and writes; in another spelling they would mean nothing here, and something to an upstream. */
const OF_THE_WIRE = [
  "content-length",
  "content-type",
  "transfer-encoding",
  "keep-alive",
  "proxy-connection",
] as const;

const GUARDED: ReadonlySet<string> = new Set([...FORWARDING_HEADERS, ...RESERVED_HEADERS, ...OF_THE_WIRE]);

/** Whether a name, spelled with anything but letters, digits and "-", would pass for a field that the gateway speaks with. */
export const isProtectedAlias = (name: string): boolean => {
  const folded = foldedName(name);
  return folded !== name.toLowerCase() && GUARDED.has(folded);
};
