import { utf8 } from "../../abi/text/bytes.js";
import type { Fields } from "./wire-message.js";

/** Text stands for its UTF-8 bytes. */
export type Bytes = string | { json: unknown } | { hex: string } | { repeat: string; times: number };

/** A request as a test or a case writes it; defaults: GET / HTTP/1.1 from 127.0.0.1 with `Host: gw.test`. */
export interface RequestSpec {
  method?: string;
  target?: string;
  /** The field Host. */
  host?: string;
  http?: "1.0" | "1.1";
  /** "Name: value" */
  headers?: string[];
  body?: Bytes;
  /** The body goes in chunks of that many bytes. */
  chunked?: number;
  /** Fields behind a body in chunks. */
  trailers?: string[];
  /** Address of the client. */
  from?: string;
  /** It comes over TLS; what is known of the connection, by the names of the variables without `$ssl_`. */
  tls?: true | Readonly<Record<string, string>>;
}

/** What one attempt at the upstream comes to; default: 200 with an empty body. */
export interface ResponseSpec {
  failure?: "connect" | "timeout" | "protocol";
  status?: number;
  headers?: string[];
  body?: Bytes;
  encoding?: ("gzip" | "br" | "deflate" | "raw-deflate" | "zstd")[];
  framing?: "length" | "chunked" | "close" | "none";
  pieces?: number;
  /** Fields behind a body in chunks. */
  trailers?: string[];
  interim?: InterimSpec[];
}

/** A 1xx response. */
export interface InterimSpec {
  status: number;
  headers?: string[];
}

export interface ExpectedMessage {
  headers?: Record<string, string | string[]>;
  /** Names of lines that must stand in this order and spelling. */
  spelled?: string[];
  absent?: string[];
  body?: Bytes;
  /** All of them, in order. */
  trailers?: string[];
}

export interface ExpectedRequest extends ExpectedMessage {
  method?: string;
  target?: string;
}

export interface ExpectedResponse extends ExpectedMessage {
  status?: number;
  length?: number | boolean;
  /** All of them, in order, each with all its fields. */
  interim?: InterimSpec[];
}

/** One record that is shipped. */
export interface ExpectedLog {
  plugin: string;
  /** The record, no field more or less, but for those that only a clock or a machine can know. */
  record?: Record<string, unknown>;
  /** Fields that it has among others. */
  holds?: Record<string, unknown>;
  /** Dotted paths of fields that it does not have. */
  lacks?: string[];
  /** Dotted paths of fields whose values only a clock, a machine or the wire can know, and their types. */
  types?: Record<string, "integer" | "number" | "string">;
  /** With `meta_format: origin`: the text. */
  text?: string;
  key?: string | null;
}

export interface Expected {
  /** Id of the route that takes the request; false: none does. */
  route?: string | false;
  upstream_request?: false | ExpectedRequest;
  response?: ExpectedResponse;
  log?: ExpectedLog[];
}

/** One request through the gateway, and what both ends must see. */
export interface ExchangeSpec {
  request?: RequestSpec;
  /** What the upstream answers; a list: to one attempt after the other, the last to all that follow. */
  upstream?: ResponseSpec | ResponseSpec[];
  expect: Expected;
}

/** A record that a logger ships; with `meta_format: origin` it is the text of the request. Texts are byte strings. */
export interface ShippedRecord {
  plugin: string;
  key: string | undefined;
  record: Record<string, unknown> | string;
}

/** A 1xx response as it was seen. */
export interface ObservedInterim {
  status: number;
  headers: Fields;
}

/** What really happened, seen at both ends; framing fields are not in the headers. Texts are byte strings. */
export interface Observed {
  /** Undefined when no route took the request, and where nobody looked. */
  route?: string | undefined;
  /** Undefined when the upstream was not called. */
  upstreamRequest:
    | { method: string; target: string; headers: Fields; body: string; trailers: Fields }
    | undefined;
  response: {
    status: number;
    headers: Fields;
    body: string;
    length: number | undefined;
    trailers: Fields;
    /** In order. */
    interim: ObservedInterim[];
  };
  /** Records that were shipped, in order; undefined where nobody looked. */
  logs?: readonly ShippedRecord[] | undefined;
}

export function byteString(bytes: Bytes | undefined): string {
  if (bytes === undefined) return "";
  if (typeof bytes === "string") return utf8(bytes);
  if ("json" in bytes) return utf8(JSON.stringify(bytes.json));
  if ("hex" in bytes) return Buffer.from(bytes.hex.replaceAll(" ", ""), "hex").toString("latin1");
  return utf8(bytes.repeat.repeat(bytes.times));
}

/** "Name: value" lines as fields; text as its UTF-8 bytes. */
export function fieldsOf(lines: readonly string[] | undefined): Fields {
  return (lines ?? []).map((line) => {
    const bytes = byteString(line);
    const colon = bytes.indexOf(":");
    return [bytes.slice(0, colon), bytes.slice(colon + 1).replace(/^[ \t]+|[ \t]+$/g, "")];
  });
}

/** Fields with the type of a body that is written as JSON, unless they tell another. */
export function typedFields(lines: readonly string[] | undefined, body: Bytes | undefined): Fields {
  const fields = fieldsOf(lines);
  const isJson = typeof body === "object" && "json" in body;
  if (isJson && !fields.some(([name]) => name.toLowerCase() === "content-type"))
    fields.push(["Content-Type", "application/json"]);
  return fields;
}
