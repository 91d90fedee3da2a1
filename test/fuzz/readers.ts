import { createRequire } from "node:module";
import { latin1 } from "../../runtime/abi/text/bytes.js";
import { BodyDecoder } from "../../runtime/http/body-decoder.js";
import { WireFault } from "../../runtime/http/fault.js";
import type { Framing } from "../../runtime/http/fields.js";
import { DEFAULT_LIMITS } from "../../runtime/http/limits.js";
import { HeadReader } from "../../runtime/http/request-head.js";
import { parseResponseHead } from "../../runtime/http/response-head.js";
import { fieldsOf } from "../../runtime/proxy/trace/snapshot.js";

/** Message as a reader understood it. */
export interface Understood {
  /** Method and target, or the status. */
  start: string;
  /** End-to-end headers in order, names in lower case. */
  fields: string[];
  body: string;
}

/** Headers of the connection or the framing, and those that gwc's list leaves out. */
const APART = new Set([
  ...["host", "connection", "keep-alive", "proxy-connection", "te", "upgrade", "expect", "content-length"],
  ...["transfer-encoding", "server"],
]);

const fieldLines = (pairs: readonly (readonly [string, string])[], connection: string): string[] => {
  const named = connection.split(",").map((token) => token.trim().toLowerCase());
  return pairs
    .map(([name, value]) => [name.toLowerCase(), value] as const)
    .filter(([name]) => !APART.has(name) && !named.includes(name))
    .map(([name, value]) => `${name}: ${value}`);
};

/** Feeds a body from `position`; returns it with its end, or undefined if it is incomplete. */
function readBody(framing: Framing, bytes: Buffer, position: number, piece: number) {
  let body = "";
  const decoder = new BodyDecoder(framing, DEFAULT_LIMITS, {
    data(buffer, start, end) {
      body += latin1(buffer, start, end);
      return false;
    },
    end() {},
  });
  let at = position;
  while (!decoder.done && at < bytes.length) {
    const stopped = decoder.feed(bytes, at, Math.min(bytes.length, at + piece));
    if (stopped instanceof WireFault) return undefined;
    at = stopped;
  }
  decoder.connectionEnded();
  return decoder.done ? { body, at } : undefined;
}

/** Complete requests that gwc reads from a connection, in pieces of `piece` bytes. */
export function ourRequests(text: string, piece: number): Understood[] {
  const bytes = Buffer.from(text, "latin1");
  const reader = new HeadReader(DEFAULT_LIMITS);
  const found: Understood[] = [];
  let at = 0;
  while (at < bytes.length) {
    const head = reader.read(bytes, at, Math.min(bytes.length, at + piece));
    at = reader.position;
    if (head instanceof WireFault) break;
    if (head === undefined) continue;
    const read = readBody(head.framing, bytes, at, piece);
    if (read === undefined) break;
    at = read.at;
    const target = head.target;
    found.push({
      start: `${head.method} ${target}`,
      fields: fieldLines(fieldsOf(head.headers), ""),
      body: read.body,
    });
    if (!head.keepAlive) break;
  }
  return found;
}

/**
 * Complete response that gwc reads from a connection that then ends; undefined if it is rejected or
 * incomplete.
 */
export function ourResponse(text: string, method: string, piece: number): Understood | undefined {
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const head = parseResponseHead(text, end + 4, method === "HEAD", DEFAULT_LIMITS);
  if (head instanceof WireFault || head.status < 200) return undefined;
  const read = readBody(head.framing, Buffer.from(text, "latin1"), end + 4, piece);
  if (read === undefined) return undefined;
  return { start: String(head.status), fields: fieldLines(fieldsOf(head.headers), ""), body: read.body };
}

/** Parser of `node:http`, which Node's types leave out. */
interface Llhttp {
  initialize(kind: number, resource: object): void;
  execute(bytes: Buffer): number | Error;
  finish(): Error | undefined;
  [callback: number]: unknown;
}
interface LlhttpClass {
  new (): Llhttp;
  readonly REQUEST: number;
  readonly RESPONSE: number;
  readonly kOnHeaders: number;
  readonly kOnHeadersComplete: number;
  readonly kOnBody: number;
  readonly kOnMessageComplete: number;
}
const { HTTPParser, methods } = createRequire(import.meta.url)("node:_http_common") as {
  HTTPParser: LlhttpClass;
  methods: readonly string[];
};

const pairsOf = (raw: readonly string[]): [string, string][] =>
  raw.flatMap((name, i) => (i % 2 === 0 ? [[name, raw[i + 1] ?? ""] as [string, string]] : []));

const joinedValue = (pairs: readonly [string, string][], name: string) =>
  pairs
    .filter(([other]) => other.toLowerCase() === name)
    .map(([, value]) => value)
    .join(",");

/** Complete messages that the parser of `node:http` reads. `bodiless`: the request was HEAD. */
function nodeMessages(text: string, kind: number, bodiless: boolean): Understood[] {
  const found: Understood[] = [];
  let present: Understood = { start: "", fields: [], body: "" };
  let raw: string[] = [];
  let target = "";
  let inBody = false;
  const parser = new HTTPParser();
  parser.initialize(kind, {});
  // Node calls this if the headers exceed one call, for trailers, which are not compared, and for heads
  // behind them.
  parser[HTTPParser.kOnHeaders] = (more: string[], url: string) => {
    if (inBody) return;
    raw.push(...more);
    target += url;
  };
  parser[HTTPParser.kOnHeadersComplete] = (
    ...[, , fields, method, url, status]: [
      number,
      number,
      string[] | undefined,
      number,
      string | undefined,
      number,
    ]
  ) => {
    const pairs = pairsOf(fields ?? raw);
    const start = kind === HTTPParser.REQUEST ? `${methods[method]} ${url ?? target}` : String(status);
    present = { start, fields: fieldLines(pairs, joinedValue(pairs, "connection")), body: "" };
    inBody = true;
    return bodiless ? 1 : 0;
  };
  parser[HTTPParser.kOnBody] = (bytes: Buffer) => {
    present.body += latin1(bytes, 0, bytes.length);
  };
  parser[HTTPParser.kOnMessageComplete] = () => {
    found.push(present);
    raw = [];
    target = "";
    inBody = false;
  };
  if (parser.execute(Buffer.from(text, "latin1")) instanceof Error) return found;
  parser.finish();
  return found;
}

/** Complete requests that the parser of `node:http` reads from a connection. */
export const nodeRequests = (text: string): Understood[] => nodeMessages(text, HTTPParser.REQUEST, false);

/** Complete response that the parser of `node:http` reads from a connection that then ends. */
export const nodeResponse = (text: string, method: string): Understood | undefined =>
  nodeMessages(text, HTTPParser.RESPONSE, method === "HEAD")[0];
