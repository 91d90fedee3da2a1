import { utf8 } from "../../abi/text/bytes.js";
import type { Fields } from "./wire-message.js";

/** Bytes of a body or header; a text is encoded as UTF-8. */
export type Bytes = string | { json: unknown } | { hex: string } | { repeat: string; times: number };

/** Request in a test or a case. Defaults: GET / HTTP/1.1 from 127.0.0.1 with `Host: gw.test`. */
export interface RequestSpec {
  method?: string;
  target?: string;
  host?: string;
  http?: "1.0" | "1.1";
  /** Lines of the form "Name: value". */
  headers?: string[];
  body?: Bytes;
  /** Chunk size in bytes; absent for a body without chunks. */
  chunked?: number;
  trailers?: string[];
  from?: string;
  /** Present for a TLS connection; its variables by their names without `$ssl_`. */
  tls?: true | Readonly<Record<string, string>>;
}

/** Outcome of one attempt at the upstream; default: 200 with an empty body. */
export interface ResponseSpec {
  failure?: "connect" | "timeout" | "protocol";
  status?: number;
  headers?: string[];
  body?: Bytes;
  encoding?: ("gzip" | "br" | "deflate" | "raw-deflate" | "zstd")[];
  framing?: "length" | "chunked" | "close" | "none";
  pieces?: number;
  trailers?: string[];
  interim?: InterimSpec[];
}

export interface InterimSpec {
  status: number;
  headers?: string[];
}

export interface ExpectedMessage {
  headers?: Record<string, string | string[]>;
  /** Names of headers, in the expected order and spelling. */
  spelled?: string[];
  absent?: string[];
  body?: Bytes;
  trailers?: string[];
}

interface ExpectedRequest extends ExpectedMessage {
  method?: string;
  target?: string;
}

interface ExpectedResponse extends ExpectedMessage {
  status?: number;
  length?: number | boolean;
  interim?: InterimSpec[];
}

export interface ExpectedLog {
  plugin: string;
  /** Exact record, except for fields that depend on the clock or the machine. */
  record?: Record<string, unknown>;
  /** Fields that the record contains among others. */
  holds?: Record<string, unknown>;
  /** Dotted paths of fields that the record must not have. */
  lacks?: string[];
  /** Dotted paths and types of fields whose values depend on the clock, the machine or the wire. */
  types?: Record<string, "integer" | "number" | "string">;
  /** Text of the record with `meta_format: origin`. */
  text?: string;
  key?: string | null;
}

export interface Expected {
  route?: string | false;
  upstream_request?: false | ExpectedRequest;
  response?: ExpectedResponse;
  log?: ExpectedLog[];
}

export interface ExchangeSpec {
  request?: RequestSpec;
  /** Responses of the upstream, one for each attempt; the last one also for all later attempts. */
  upstream?: ResponseSpec | ResponseSpec[];
  expect: Expected;
}

/** Record that a logger delivers; with `meta_format: origin` the text of the request. In byte strings. */
export interface ShippedRecord {
  plugin: string;
  key: string | undefined;
  record: Record<string, unknown> | string;
}

export interface ObservedInterim {
  status: number;
  headers: Fields;
}

/** Result observed at both ends; headers exclude framing. Texts are byte strings. */
export interface Observed {
  /** Undefined if no route matched, or if it was not observed. */
  route?: string | undefined;
  /** Undefined if the upstream was not called. */
  upstreamRequest:
    | { method: string; target: string; headers: Fields; body: string; trailers: Fields }
    | undefined;
  response: {
    status: number;
    headers: Fields;
    body: string;
    length: number | undefined;
    trailers: Fields;
    interim: ObservedInterim[];
  };
  /** Delivered records, in order; undefined if they were not observed. */
  logs?: readonly ShippedRecord[] | undefined;
}

export function byteString(bytes: Bytes | undefined): string {
  if (bytes === undefined) return "";
  if (typeof bytes === "string") return utf8(bytes);
  if ("json" in bytes) return utf8(JSON.stringify(bytes.json));
  if ("hex" in bytes) return Buffer.from(bytes.hex.replaceAll(" ", ""), "hex").toString("latin1");
  return utf8(bytes.repeat.repeat(bytes.times));
}

/** Parses "Name: value" lines; text becomes UTF-8 bytes. */
export function fieldsOf(lines: readonly string[] | undefined): Fields {
  return (lines ?? []).map((line) => {
    const bytes = byteString(line);
    const colon = bytes.indexOf(":");
    return [bytes.slice(0, colon), bytes.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "")];
  });
}

/** Adds the content type of a JSON body, unless a header sets another one. */
export function typedFields(lines: readonly string[] | undefined, body: Bytes | undefined): Fields {
  const fields = fieldsOf(lines);
  const isJson = typeof body === "object" && "json" in body;
  if (isJson && !fields.some(([name]) => name.toLowerCase() === "content-type"))
    fields.push(["Content-Type", "application/json"]);
  return fields;
}
