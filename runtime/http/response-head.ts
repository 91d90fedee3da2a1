import { bad, WireFault } from "./fault.js";
import { dropNamedByConnection, type Framing, framingOf, hasToken, scanFields } from "./fields.js";
import { HeaderList } from "./header-list.js";
import type { Limits } from "./limits.js";

/**
 * A class: V8 allocates literals in its old space if earlier objects from the same code lived long. There
 * their text stays until the next full collection (64 kB filtered took 1.2 × the CPU).
 */
export class ResponseHead {
  status = 0;
  reason = "";
  minor: 0 | 1 = 1;
  readonly headers: HeaderList;
  readonly framing: Framing;
  /** Content-Length as received, also without a body (HEAD, 304). */
  contentLength: string | undefined = undefined;
  /** True if the head allows the connection to be reused. */
  keepAlive = false;
  upgrade: string | undefined = undefined;
  dated = false;

  constructor(headers: HeaderList, framing: Framing) {
    this.headers = headers;
    this.framing = framing;
  }
}

const HEAD =
  /HTTP\/1\.[01] [1-5][0-9][0-9](?: [\t\x20-\x7e\x80-\xff]*)?\r\n(?:[!#$%&'*+\-.^_`|~0-9A-Za-z]+:[\t\x20-\x7e\x80-\xff]*\r\n)*\r\n/y;

/** @param end offset behind the empty line of the head @param bodiless the request was HEAD */
export function parseResponseHead(
  text: string,
  end: number,
  bodiless: boolean,
  limits: Limits,
): ResponseHead | WireFault {
  HEAD.lastIndex = 0;
  if (!HEAD.test(text) || HEAD.lastIndex !== end) return bad("malformed response head");
  const minor = text.charCodeAt(7) === 49 ? 1 : 0;
  const status = (text.charCodeAt(9) - 48) * 100 + (text.charCodeAt(10) - 48) * 10 + text.charCodeAt(11) - 48;
  const lineEnd = text.indexOf("\r", 12);
  const fields = scanFields(text, lineEnd + 2, limits.headerCount, true);
  if (fields instanceof WireFault) return fields;
  let framing = framingOf(fields, minor, "close");
  if (framing instanceof WireFault) return framing;
  if (bodiless || status < 200 || status === 204 || status === 304) framing = { kind: "none" };
  const { connection } = fields;
  if (connection !== undefined) dropNamedByConnection(fields, text);
  const head = new ResponseHead(new HeaderList(text, fields.lines), framing);
  head.status = status;
  if (lineEnd > 13) head.reason = text.slice(13, lineEnd);
  head.minor = minor;
  head.contentLength = fields.length;
  head.keepAlive =
    !hasToken(connection, "close") &&
    framing.kind !== "close" &&
    (minor === 1 || hasToken(connection, "keep-alive"));
  if (fields.upgrade !== undefined && hasToken(connection, "upgrade")) head.upgrade = fields.upgrade;
  head.dated = fields.dated;
  return head;
}
