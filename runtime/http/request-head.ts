import { latin1 } from "../abi/text/bytes.js";
import { bad, WireFault } from "./fault.js";
import {
  dropNamedByConnection,
  type Framing,
  framingOf,
  hasToken,
  type MessageFields,
  scanFields,
} from "./fields.js";
import { HeaderList } from "./header-list.js";
import type { Limits } from "./limits.js";

/** Maximum bytes of empty lines that are skipped before a request line (RFC 9112 section 2.2). */
const LEADING_BYTES = 8;

/** Parsed request head, which has no second interpretation; a class for the reason of `ResponseHead`. */
export class RequestHead {
  readonly method: string;
  /** As received; the absolute form is reduced to path and query. */
  readonly target: string;
  readonly headers: HeaderList;
  readonly framing: Framing;
  minor: 0 | 1 = 1;
  /** Raw Host value; "" only in HTTP/1.0 without Host. */
  authority = "";
  keepAlive = false;
  expectContinue = false;
  /** Protocol of an Upgrade header that Connection names too. */
  upgrade: string | undefined = undefined;
  hasForwardingHeader = false;
  /** True if names have characters besides letters, digits and "-": another gateway may treat two as one. */
  hasUnusualNames = false;
  /** Size of the head in bytes. */
  bytes = 0;

  constructor(method: string, target: string, headers: HeaderList, framing: Framing) {
    this.method = method;
    this.target = target;
    this.headers = headers;
    this.framing = framing;
  }
}

// The head in one sticky pattern: 575 ns for 4 headers, against 686 with a pattern per line
// (docs/decisions/0009-measurements.md). Nearly all heads have plain names; others are matched again with
// every character that a name may have.
const PLAIN_HEAD =
  /[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [\x21\x22\x24-\x7e]+ HTTP\/1\.[01]\r\n(?:[-0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n/y;
const HEAD =
  /[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [\x21\x22\x24-\x7e]+ HTTP\/1\.[01]\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n/y;

/**
 * No empty label except behind the last dot, which is stripped: "a.test.." would keep one dot, and upstreams
 * strip one, too. No escapes: some upstreams decode them, and take "a%2etest" for a.test. The port may be
 * empty (RFC 3986 section 3.2.3).
 */
const AUTHORITY =
  /^(?:[A-Za-z0-9\-_~!$&'()*+;=]+(?:\.[A-Za-z0-9\-_~!$&'()*+;=]+)*\.?|\[[0-9A-Fa-f:.]+\])(?::([0-9]{0,5}))?$/;
const ABSOLUTE = /^http:\/\/([^/?]*)(.*)$/i;

/** Cache of one: most connections repeat one host, so it is checked once. */
let lastAuthority = "";

/** Equal values give the same string object: comparisons get cheap (0.2 µs a request). Undefined if invalid. */
function authorityIn(text: string): string | undefined {
  if (text === lastAuthority) return text === "" ? undefined : lastAuthority;
  const found = AUTHORITY.exec(text);
  if (found === null || Number(found[1] ?? 0) > 65_535) return undefined;
  lastAuthority = text;
  return text;
}

/** Reports whether a sticky pattern matches exactly `text[start, end)`. */
function fits(pattern: RegExp, text: string, start: number, end: number): boolean {
  pattern.lastIndex = start;
  return pattern.test(text) && pattern.lastIndex === end;
}

/** Reads the head at `start`; `end` is behind its empty line. */
export function parseRequestHead(
  text: string,
  start: number,
  end: number,
  limits: Limits,
): RequestHead | WireFault {
  const odd = !fits(PLAIN_HEAD, text, start, end);
  if (odd && !fits(HEAD, text, start, end)) return diagnoseHead(text.slice(start, end), limits);
  const methodEnd = text.indexOf(" ", start);
  const targetEnd = text.indexOf(" ", methodEnd + 1);
  if (targetEnd - methodEnd - 1 > limits.targetBytes) return new WireFault(414, "request target too long");
  const lineEnd = targetEnd + 9; // " HTTP/1.1" has nine characters
  const minor = text.charCodeAt(lineEnd - 1) === 49 ? 1 : 0;
  const fields = scanFields(text, lineEnd + 2, limits.headerCount, false);
  if (fields instanceof WireFault) return fields;
  return completeHead(
    text,
    text.slice(start, methodEnd),
    text.slice(methodEnd + 1, targetEnd),
    minor,
    fields,
    end - start,
    odd,
  );
}

function completeHead(
  text: string,
  method: string,
  received: string,
  minor: 0 | 1,
  fields: MessageFields,
  bytes: number,
  odd: boolean,
): RequestHead | WireFault {
  const framing = framingOf(fields, minor, "none");
  if (framing instanceof WireFault) return framing;
  if (fields.hosts > 1) return bad("more than one Host");
  if (minor === 1 && fields.host === undefined) return bad("no Host");
  const authority = fields.host === undefined ? "" : authorityIn(fields.host);
  if (authority === undefined) return bad("Host is not a valid host");
  if (method === "CONNECT") return new WireFault(501, "CONNECT");
  let target = received;
  if (target.charCodeAt(0) !== 47) {
    const reduced = reduceTarget(method, target, fields.host);
    if (reduced instanceof WireFault) return reduced;
    target = reduced;
  }
  if (fields.expect !== undefined && fields.expect.toLowerCase() !== "100-continue") {
    return new WireFault(417, "Expect other than 100-continue");
  }
  const { connection } = fields;
  if (connection !== undefined) dropNamedByConnection(fields, text);
  const head = new RequestHead(method, target, new HeaderList(text, fields.lines, fields.host), framing);
  head.minor = minor;
  head.authority = authority;
  head.keepAlive = !hasToken(connection, "close") && (minor === 1 || hasToken(connection, "keep-alive"));
  head.expectContinue = fields.expect !== undefined && minor === 1;
  if (fields.upgrade !== undefined && hasToken(connection, "upgrade")) head.upgrade = fields.upgrade;
  head.hasForwardingHeader = fields.hasForwardingHeader;
  head.hasUnusualNames = odd;
  head.bytes = bytes;
  return head;
}

/** Normalizes for comparison: "A:" equals "a" (RFC 3986 section 6.2.3). */
const comparedAuthority = (text: string): string => text.toLowerCase().replace(/:$/, "");

/** Reduces the absolute and asterisk forms, and rejects others (RFC 9112 section 3.2). */
function reduceTarget(method: string, target: string, host: string | undefined): string | WireFault {
  if (target === "*") return method === "OPTIONS" ? "*" : bad("target * with a method other than OPTIONS");
  const absolute = ABSOLUTE.exec(target);
  if (!absolute) return bad("target is neither a path nor an absolute URL");
  const [, authority = "", rest = ""] = absolute;
  if (!AUTHORITY.test(authority)) return bad("target has no host");
  if (host === undefined || comparedAuthority(authority) !== comparedAuthority(host))
    return bad("target and Host have different authorities");
  if (rest === "") return method === "OPTIONS" ? "*" : "/";
  return rest.startsWith("/") ? rest : `/${rest}`;
}

/** Finds the reason why a head does not match the pattern. */
function diagnoseHead(head: string, limits: Limits): WireFault {
  const line = head.slice(0, head.indexOf("\r\n"));
  const parts = line.split(" ");
  const version = parts.at(-1) ?? "";
  if (parts.length === 3 && /^HTTP\/\d\.\d$/.test(version) && !/^HTTP\/1\.[01]$/.test(version)) {
    return new WireFault(505, `version ${version}`);
  }
  if ((parts[1]?.length ?? 0) > limits.targetBytes) return new WireFault(414, "request target too long");
  return bad(badHeadReason(head.slice(line.length + 2), line));
}

function badHeadReason(fields: string, line: string): string {
  if (!/^[!#$%&'*+\-.^_`|~0-9A-Za-z]+ [\x21\x22\x24-\x7e]+ HTTP\/1\.[01]$/.test(line))
    return "malformed request line";
  if (/^[ \t]/.test(fields)) return "blank between start line and first header field";
  if (/\r\n[ \t]/.test(fields)) return "folded header field";
  if (/(^|[^\r])\n|\r(?!\n)/.test(fields)) return "bare CR or LF in the head";
  if (fields.includes("\0")) return "NUL in the head";
  if (/^[^:\r\n]*[ \t]+:/m.test(fields)) return "blank before the colon of a header field";
  return "malformed header field";
}

/** Rejects a head as soon as it can no longer become valid. @param from offset up to which it was checked before */
export function incompleteHeadFault(text: string, from: number, limits: Limits): WireFault | undefined {
  if (from === 0 && /^[^!#$%&'*+\-.^_`|~0-9A-Za-z\r]/.test(text)) return bad("malformed request line");
  const bare = from === 0 ? /(?:^|[^\r])\n|\r[^\n]/ : /[^\r]\n|\r[^\n]/;
  if (bare.test(from === 0 ? text : text.slice(from))) return bad("bare CR or LF in the head");
  if (text.length > limits.targetBytes + 128 && text.lastIndexOf("\r\n", limits.targetBytes + 128) < 0)
    return new WireFault(414, "request target too long");
  if (text.length > limits.headerBytes) return new WireFault(431, `head above ${limits.headerBytes} bytes`);
  return undefined;
}

export class HeadReader {
  /** Text of an incomplete head. */
  pending = "";
  /** Offset at which the last `read` stopped. */
  position = 0;
  readonly #limits: Limits;
  /** Bytes of empty lines before the next request line that earlier reads skipped. */
  #skipped = 0;

  constructor(limits: Limits) {
    this.#limits = limits;
  }

  /** @returns undefined if more bytes are needed */
  read(bytes: Buffer, start: number, end: number): RequestHead | WireFault | undefined {
    const before = this.pending;
    const text = before + latin1(bytes, start, end);
    let first = 0;
    const last = LEADING_BYTES - this.#skipped;
    while (text.charCodeAt(first) === 13 && text.charCodeAt(first + 1) === 10 && first < last) first += 2;
    const found = text.indexOf("\r\n\r\n", Math.max(first, before.length - 3));
    if (found < 0 || found + 4 - first > this.#limits.headerBytes) {
      this.position = end;
      this.pending = first === 0 ? text : text.slice(first);
      this.#skipped += first;
      return incompleteHeadFault(this.pending, Math.max(0, before.length - 1), this.#limits);
    }
    this.pending = "";
    this.#skipped = 0;
    this.position = start + found + 4 - before.length;
    const head = parseRequestHead(text, first, found + 4, this.#limits);
    return head instanceof WireFault ? head : this.#checked(head);
  }

  #checked(head: RequestHead): RequestHead | WireFault {
    const { bodyBytes } = this.#limits;
    const tooLong = bodyBytes > 0 && head.framing.kind === "length" && head.framing.length > bodyBytes;
    return tooLong ? new WireFault(413, `body above ${bodyBytes} bytes`) : head;
  }
}
