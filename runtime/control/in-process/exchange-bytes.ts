import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import type { SecureState } from "../../http/tls/secure-state.js";
import {
  byteString,
  fieldsOf,
  type ObservedInterim,
  type RequestSpec,
  type ResponseSpec,
  typedFields,
} from "./exchange-spec.js";
import { chunked, chunks, type Fields, fieldLines, fieldValues, pieces } from "./wire-message.js";

/** Request with all defaults, framing headers included. */
export interface WholeRequest {
  method: string;
  target: string;
  headers: Fields;
  body: string;
  trailers: Fields;
  clientAddress: string;
  minor: 0 | 1;
}

/** Encodes a request as bytes on the wire, without `Connection`, which the caller adds. */
export function requestBytes(request: RequestSpec = {}): string {
  const { method, target, headers, body, minor } = wholeRequest(request);
  const start = `${method} ${target} HTTP/1.${minor}\r\n`;
  if (request.chunked !== undefined)
    return `${start}${fieldLines(headers)}\r\n${chunked(body, request.chunked, fieldsOf(request.trailers))}`;
  return `${start}${fieldLines(headers)}\r\n${body}`;
}

export function wholeRequest(request: RequestSpec = {}): WholeRequest {
  const headers = typedFields(request.headers, request.body);
  const body = byteString(request.body);
  const has = (name: string) => fieldValues(headers, name).length > 0;
  if (request.host !== undefined) headers.unshift(["Host", byteString(request.host)]);
  else if (!has("host") && request.http !== "1.0") headers.unshift(["Host", "gw.test"]);
  if (request.chunked !== undefined) headers.push(["Transfer-Encoding", "chunked"]);
  else if (body !== "" && !has("content-length")) headers.push(["Content-Length", String(body.length)]);
  return {
    method: request.method ?? "GET",
    target: byteString(request.target ?? "/"),
    headers,
    body,
    trailers: request.chunked === undefined ? [] : fieldsOf(request.trailers),
    clientAddress: request.from ?? "127.0.0.1",
    minor: request.http === "1.0" ? 0 : 1,
  };
}

/** Outcome of a request to the upstream: a response, its body still encoded as on the wire, or a failure. */
export type AnswerOutcome =
  | { status: number; headers: Fields; body: string; trailers: Fields; interim: ObservedInterim[] }
  | { failure: NonNullable<ResponseSpec["failure"]> };

export function upstreamOutcome(upstream: ResponseSpec = {}): AnswerOutcome {
  if (upstream.failure !== undefined) return { failure: upstream.failure };
  const headers = typedFields(upstream.headers, upstream.body);
  const names = upstream.encoding?.map((coding) => (coding === "raw-deflate" ? "deflate" : coding));
  if (names) headers.push(["Content-Encoding", names.join(", ")]);
  const trailers = upstream.framing === "chunked" ? fieldsOf(upstream.trailers) : [];
  const interim = (upstream.interim ?? []).map(({ status, headers }) => ({
    status,
    headers: fieldsOf(headers),
  }));
  return { status: upstream.status ?? 200, headers, body: codedBody(upstream), trailers, interim };
}

function codedBody({ body, encoding = [] }: ResponseSpec): string {
  let bytes: Buffer = Buffer.from(byteString(body), "latin1");
  for (const coding of encoding) bytes = CODERS[coding](bytes);
  return bytes.toString("latin1");
}

const CODERS: Record<NonNullable<ResponseSpec["encoding"]>[number], (body: Buffer) => Buffer> = {
  gzip: (body) => gzipSync(body),
  br: (body) => brotliCompressSync(body),
  deflate: (body) => deflateSync(body),
  "raw-deflate": (body) => deflateRawSync(body),
  zstd: storedZstd,
};

/** Encodes one raw block, at most 128 kB (RFC 8878 sections 3.1.1 and 3.1.1.2). Node 20 has no encoder. */
function storedZstd(body: Buffer): Buffer {
  const header = Buffer.alloc(9);
  header.writeUInt32LE(0xfd2fb528, 0);
  // Single segment, content size in four bytes.
  header.writeUInt8(0xa0, 4);
  header.writeUInt32LE(body.length, 5);
  const block = Buffer.alloc(3);
  // Last block, raw, its size in the upper 21 bits.
  block.writeUIntLE(1 | (body.length << 3), 0, 3);
  return Buffer.concat([header, block, body]);
}

/** Bytes that an upstream writes, and whether it closes the connection afterwards. */
export interface AnswerScript {
  writes: string[];
  end?: boolean;
}

/** Returns the script of an upstream response; undefined if the upstream stays silent. */
export function upstreamScript(upstream: ResponseSpec = {}, method = "GET"): AnswerScript | undefined {
  const outcome = upstreamOutcome(upstream);
  if ("failure" in outcome) {
    return outcome.failure === "timeout" ? undefined : { writes: ["HTTP/1.1 2x0 what\r\n\r\n"], end: true };
  }
  const { status, headers, body, trailers } = outcome;
  const bodiless = method === "HEAD" || status === 204 || status === 304;
  const framing = upstream.framing ?? (bodiless && body === "" ? "none" : "length");
  if (framing === "length") headers.push(["Content-Length", String(body.length)]);
  if (framing === "chunked") headers.push(["Transfer-Encoding", "chunked"]);
  if (framing === "close") headers.push(["Connection", "close"]);

  const interim = outcome.interim.map(
    ({ status, headers }) => `HTTP/1.1 ${status} Interim\r\n${fieldLines(headers)}\r\n`,
  );
  const size = upstream.pieces ?? 65_536;
  const sent = bodiless ? [] : framing === "chunked" ? chunks(body, size, trailers) : pieces(body, size);
  return {
    writes: [...interim, `HTTP/1.1 ${status} Scripted\r\n${fieldLines(headers)}\r\n`, ...sent],
    ...(framing === "close" && { end: true }),
  };
}

/** TLS variables of an ordinary client, by their names without `$ssl_`. */
const USUAL: Readonly<Record<string, string>> = {
  protocol: "TLSv1.3",
  cipher: "TLS_AES_256_GCM_SHA384",
  session_reused: ".",
  client_verify: "NONE",
};

export function secureOf({ tls, host }: RequestSpec = {}): Pick<SecureState, "variable"> | undefined {
  if (tls === undefined) return undefined;
  const asked = host === undefined ? {} : { server_name: host.toLowerCase().replace(/:\d*$/, "") };
  const known = new Map(Object.entries({ ...USUAL, ...asked, ...(tls === true ? {} : tls) }));
  return { variable: (name) => known.get(name) };
}
