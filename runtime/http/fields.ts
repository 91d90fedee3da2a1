import {
  FORWARDING_HEADERS,
  isReservedHeader,
  MAX_RESERVED_LENGTH,
  onReservedHeader,
  RESERVED_HEADERS,
} from "../abi/reserved-header-names.js";
import { fieldValue, trimBlanks } from "../abi/text/field.js";
import { bad, WireFault } from "./fault.js";
import { equalsIgnoreCase, FieldNames } from "./field-names.js";
import { LINE_STRIDE } from "./header-list.js";

/** Result of one pass. Framing and hop-by-hop headers never reach the header list: only the gateway writes them. */
export class MessageFields {
  /** LINE_STRIDE numbers for each end-to-end header; see HeaderList. */
  readonly lines: number[] = [];
  /** Raw Host value; undefined if absent. */
  host: string | undefined = undefined;
  hosts = 0;
  /** Raw value of the first Content-Length. */
  length: string | undefined = undefined;
  lengths = 0;
  /** Raw Transfer-Encoding; lines joined by ", ". */
  coding: string | undefined = undefined;
  /** Lower-case Connection options; lines joined by ", ". */
  connection: string | undefined = undefined;
  upgrade: string | undefined = undefined;
  expect: string | undefined = undefined;
  hasForwardingHeader = false;
  /** True if a Date was received. */
  dated = false;
}

/** Names that the scan knows in requests, besides those of framing and connection. */
const ADDRESSES = new FieldNames(FORWARDING_HEADERS);
const OWN = new FieldNames(RESERVED_HEADERS);

/**
 * One bit for each (length, first letter, last letter) of a name that the scan must compare; it keeps all
 * others without comparing. The index is `length << 5 | first & 31`, the bit is `last & 31`. Without the last
 * letter, each "X-Field-1" was compared with x-real-ip and eleven more: 0.7 µs of a request with 17 headers.
 */
const LONGEST = MAX_RESERVED_LENGTH;
const LOOK = new Uint32Array((LONGEST + 1) << 5);
const compare = (name: string): void => {
  const index = (name.length << 5) | (name.charCodeAt(0) & 31);
  LOOK[index] = (LOOK[index] as number) | (1 << name.charCodeAt(name.length - 1));
};
for (const name of [
  ...["te", "host", "date", "proxy", "expect", "server", "upgrade", "connection", "keep-alive"],
  ...["content-length", "proxy-connection", "transfer-encoding", ...FORWARDING_HEADERS, ...RESERVED_HEADERS],
])
  compare(name);
onReservedHeader((name) => {
  OWN.add(name);
  compare(name);
});

/**
 * Scans headers that the head pattern has checked; `start` is behind the start line. Omits Server from
 * responses, since the gateway sends its own, and reserved headers from requests.
 */
export function scanFields(
  text: string,
  start: number,
  maxCount: number,
  response: boolean,
): MessageFields | WireFault {
  const fields = new MessageFields();
  const lines = fields.lines;
  let position = start;
  let count = 0;
  for (let first = text.charCodeAt(position); first !== 13; first = text.charCodeAt(position)) {
    const colon = text.indexOf(":", position);
    const end = text.indexOf("\r", colon) + 2;
    if (++count > maxCount) return new WireFault(431, `more than ${maxCount} headers`);
    const length = colon - position;
    if (
      length > LONGEST ||
      ((LOOK[(length << 5) | (first & 31)] as number) & (1 << text.charCodeAt(colon - 1))) === 0 ||
      !readSpecial(response, fields, text, position, colon, end)
    )
      lines.push(position, colon, end);
    position = end;
  }
  return fields;
}

const joined = (before: string | undefined, value: string) =>
  before === undefined ? value : `${before}, ${value}`;

/** @returns true if the header list must not contain the header */
function readSpecial(
  response: boolean,
  fields: MessageFields,
  text: string,
  name: number,
  colon: number,
  end: number,
): boolean {
  switch (colon - name) {
    case 2:
      if (equalsIgnoreCase(text, name, colon, "te")) return true;
      break;
    case 4:
      if (equalsIgnoreCase(text, name, colon, "date")) fields.dated = true;
      // An ordinary header in responses.
      if (response) return false;
      if (!equalsIgnoreCase(text, name, colon, "host")) break;
      if (fields.hosts++ === 0) fields.host = fieldValue(text, colon, end);
      return true;
    case 5:
      // CGI exports it as HTTP_PROXY, which HTTP clients use as their proxy (CVE-2016-5385).
      if (!response && equalsIgnoreCase(text, name, colon, "proxy")) return true;
      break;
    case 6:
      if (response) return equalsIgnoreCase(text, name, colon, "server");
      if (!equalsIgnoreCase(text, name, colon, "expect")) break;
      fields.expect = joined(fields.expect, fieldValue(text, colon, end));
      return true;
    case 7:
      if (!equalsIgnoreCase(text, name, colon, "upgrade")) break;
      fields.upgrade = joined(fields.upgrade, fieldValue(text, colon, end));
      return true;
    case 10:
      if (equalsIgnoreCase(text, name, colon, "keep-alive")) return true;
      if (!equalsIgnoreCase(text, name, colon, "connection")) break;
      fields.connection = joined(fields.connection, fieldValue(text, colon, end).toLowerCase());
      return true;
    case 14:
      if (!equalsIgnoreCase(text, name, colon, "content-length")) break;
      if (fields.lengths++ === 0) fields.length = fieldValue(text, colon, end);
      return true;
    case 16:
      if (equalsIgnoreCase(text, name, colon, "proxy-connection")) return true;
      break;
    case 17:
      if (!equalsIgnoreCase(text, name, colon, "transfer-encoding")) break;
      fields.coding = joined(fields.coding, fieldValue(text, colon, end).toLowerCase());
      return true;
  }
  if (response) return false;
  if (ADDRESSES.find(text, name, colon) !== undefined) fields.hasForwardingHeader = true;
  return OWN.find(text, name, colon) !== undefined;
}

export type Framing =
  | { kind: "none" }
  | { kind: "length"; length: number }
  | { kind: "chunked" }
  /** Responses only: the body ends with the connection. */
  | { kind: "close" };

const NONE: Framing = { kind: "none" };
const CHUNKED: Framing = { kind: "chunked" };
const CLOSE: Framing = { kind: "close" };
const MAX_DIGITS = 16;

/** @returns -1 if the text is no decimal number, or not an exact integer */
function bytesOf(text: string): number {
  if (text.length === 0 || text.length > MAX_DIGITS) return -1;
  let bytes = 0;
  for (let i = 0; i < text.length; i++) {
    const digit = text.charCodeAt(i) - 48;
    if (digit < 0 || digit > 9) return -1;
    bytes = bytes * 10 + digit;
  }
  return bytes <= Number.MAX_SAFE_INTEGER ? bytes : -1;
}

/** Finds the only valid framing, or a fault (RFC 9112 section 6). */
export function framingOf(
  fields: MessageFields,
  minor: number,
  whenAbsent: "none" | "close",
): Framing | WireFault {
  if (fields.coding !== undefined) {
    if (fields.lengths > 0) return bad("both Content-Length and Transfer-Encoding");
    if (minor === 0) return bad("Transfer-Encoding in HTTP/1.0");
    if (fields.coding === "chunked") return CHUNKED;
    if (/^[a-z0-9-]+$/.test(fields.coding)) return new WireFault(501, "Transfer-Encoding other than chunked");
    return bad("Transfer-Encoding other than chunked");
  }
  if (fields.lengths === 0) return whenAbsent === "none" ? NONE : CLOSE;
  if (fields.lengths > 1) return bad("more than one Content-Length");
  const length = bytesOf(fields.length as string);
  if (length < 0) return bad("Content-Length is not a number of bytes");
  return { kind: "length", length };
}

/** Reports whether a comma-separated lower-case list has the token. */
export function hasToken(list: string | undefined, token: string): boolean {
  if (list === undefined) return false;
  if (list === token) return true;
  if (list.length <= token.length) return false;
  if (list === "keep-alive") return false;
  return list.split(",").some((part) => trimBlanks(part) === token);
}

/** Headers that Connection cannot remove, besides reserved ones: routing, framing and forwarding. */
const PROTECTED: ReadonlySet<string> = new Set([
  ...["host", "content-length", "transfer-encoding"],
  ...FORWARDING_HEADERS,
]);

/** Removes the headers that Connection names (RFC 9110 section 7.6.1). */
export function dropNamedByConnection(fields: MessageFields, text: string): void {
  if (fields.connection === undefined || fields.connection === "keep-alive" || fields.connection === "close")
    return;
  const named = fields.connection.split(",").map(trimBlanks);
  const lines = fields.lines;
  for (let at = lines.length - LINE_STRIDE; at >= 0; at -= LINE_STRIDE) {
    const lower = text.slice(lines[at], lines[at + 1]).toLowerCase();
    if (named.includes(lower) && !PROTECTED.has(lower) && !isReservedHeader(lower))
      lines.splice(at, LINE_STRIDE);
  }
}
