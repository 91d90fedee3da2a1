import { bad, WireFault } from "./fault.js";
import { equalsIgnoreCase, LINE_STRIDE } from "./header-list.js";

/** Fields that say something about observed addresses; a client's own are dropped on the way to the upstream. */
export const OBSERVED = [
  "x-real-ip",
  "x-forwarded-for",
  "x-forwarded-proto",
  "x-forwarded-host",
  "x-forwarded-port",
  "forwarded",
];

/**
 * What one pass over a field section finds. Framing and hop-by-hop fields are read here and never reach the header
 * list; only the wire writes them.
 */
export class MessageFields {
  /** LINE_STRIDE numbers for each end-to-end field, see HeaderList. */
  readonly lines: number[] = [];
  /** Raw Host value; undefined when absent. */
  host: string | undefined = undefined;
  hosts = 0;
  /** Raw Content-Length text of the first such line. */
  length: string | undefined = undefined;
  lengths = 0;
  /** Raw Transfer-Encoding, lines joined by ", ". */
  coding: string | undefined = undefined;
  /** Lower-case Connection options, lines joined by ", ". */
  connection: string | undefined = undefined;
  upgrade: string | undefined = undefined;
  expect: string | undefined = undefined;
  /** True when a field of OBSERVED was received. */
  observed = false;
  /** True when a Date was received. */
  dated = false;
}

/** Name lengths of the fields that the scan must look at; others are kept without being compared. */
const LOOK = new Uint8Array(64);
for (const length of [2, 4, 6, 7, 9, 10, 14, 15, 16, 17]) LOOK[length] = 1;

/** One pass over a field section that the head pattern has already checked; `start` is behind the start line.
 * A response's Server is left out: the gateway says its own. */
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
  while (text.charCodeAt(position) !== 13) {
    const colon = text.indexOf(":", position);
    const lineEnd = text.indexOf("\r", colon);
    let valueStart = colon + 1;
    let valueEnd = lineEnd;
    for (
      let code = text.charCodeAt(valueStart);
      code === 32 || code === 9;
      code = text.charCodeAt(++valueStart)
    );
    if (valueStart > valueEnd) valueStart = valueEnd;
    while (valueEnd > valueStart && isBlank(text.charCodeAt(valueEnd - 1))) valueEnd--;
    if (++count > maxCount) return new WireFault(431, `more than ${maxCount} header fields`);
    const length = colon - position;
    if (
      length > 63 ||
      LOOK[length] === 0 ||
      !takeSpecial(response, fields, text, position, colon, valueStart, valueEnd)
    ) {
      lines.push(position, colon, valueStart, valueEnd, lineEnd + 2);
    }
    position = lineEnd + 2;
  }
  return fields;
}

const isBlank = (code: number) => code === 32 || code === 9;
const joined = (before: string | undefined, value: string) =>
  before === undefined ? value : `${before}, ${value}`;

/** Reads a framing, hop-by-hop or address field; true when it must not be in the header list. */
function takeSpecial(
  response: boolean,
  fields: MessageFields,
  text: string,
  name: number,
  colon: number,
  start: number,
  end: number,
): boolean {
  const is = (lower: string) => equalsIgnoreCase(text, name, colon, lower);
  switch (colon - name) {
    case 2:
      return is("te");
    case 4:
      if (is("date")) fields.dated = true;
      if (!is("host")) return false;
      if (fields.hosts++ === 0) fields.host = text.slice(start, end);
      return true;
    case 6:
      if (response) return is("server");
      if (!is("expect")) return false;
      fields.expect = joined(fields.expect, text.slice(start, end));
      return true;
    case 7:
      if (!is("upgrade")) return false;
      fields.upgrade = joined(fields.upgrade, text.slice(start, end));
      return true;
    case 10:
      if (is("keep-alive")) return true;
      if (!is("connection")) return false;
      fields.connection = joined(fields.connection, text.slice(start, end).toLowerCase());
      return true;
    case 14:
      if (!is("content-length")) return false;
      if (fields.lengths++ === 0) fields.length = text.slice(start, end);
      return true;
    case 16:
      if (is("proxy-connection")) return true;
      break;
    case 17:
      if (!is("transfer-encoding")) break;
      fields.coding = joined(fields.coding, text.slice(start, end).toLowerCase());
      return true;
  }
  if (OBSERVED.some((lower) => is(lower))) fields.observed = true;
  return false;
}

/** Framing of a message body. */
export type Framing =
  | { kind: "none" }
  | { kind: "length"; length: number }
  | { kind: "chunked" }
  /** Only responses: the body ends with the connection. */
  | { kind: "close" };

const NONE: Framing = { kind: "none" };
const CHUNKED: Framing = { kind: "chunked" };
const CLOSE: Framing = { kind: "close" };
const DIGITS = /^[0-9]{1,16}$/;

/** RFC 9112 section 6: one way to read the length, or a refusal. */
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
  const text = fields.length as string;
  const length = Number(text);
  if (!DIGITS.test(text) || !Number.isSafeInteger(length))
    return bad("Content-Length is not a number of bytes");
  return { kind: "length", length };
}

/** Whether a comma-separated lower-case list has the token. */
export function hasToken(list: string | undefined, token: string): boolean {
  if (list === undefined) return false;
  if (list === token) return true;
  return list.split(",").some((part) => part.trim() === token);
}

/** Fields that Connection may not take away: they say where a request goes and where it came from. */
const PROTECTED = new Set(["host", "content-length", "transfer-encoding", ...OBSERVED]);

/** Removes the fields that Connection names (RFC 9110 section 7.6.1). */
export function dropNamedByConnection(fields: MessageFields, text: string): void {
  if (fields.connection === undefined || fields.connection === "keep-alive" || fields.connection === "close")
    return;
  const named = fields.connection.split(",").map((part) => part.trim());
  const lines = fields.lines;
  for (let at = lines.length - LINE_STRIDE; at >= 0; at -= LINE_STRIDE) {
    const lower = text.slice(lines[at], lines[at + 1]).toLowerCase();
    if (named.includes(lower) && !PROTECTED.has(lower)) lines.splice(at, LINE_STRIDE);
  }
}
