/**
 * Exchange of one request and its response, as generated code uses it.
 *
 * Every string here is a **byte string**: one character per byte (latin1). The wire carries bytes, PCRE
 * without `u` works on bytes, and nothing is decoded without a reason. Texts of the configuration that are
 * not ASCII become UTF-8 bytes at compile time (`utf8("…")` in generated code).
 */

import type { CapturedBody, Credentials, RecordObject, RecordView } from "./log.js";
import type { HeaderEdits } from "./text/header-edits.js";

/** Headers in order, as spelled, a line for each repetition; look-ups ignore case. Framing headers are not in it. */
export interface ReadonlyHeaders {
  /**
   * Returns all values of a header as one text, joined by ", " (RFC 9110 section 5.3), those of Cookie by ";
   * ". Headers whose lines are never joined, such as Set-Cookie, have a line feed between them
   * (text/field.ts).
   * @returns undefined if the header is absent
   */
  get(name: string): string | undefined;
  /** Returns one value per line, in order; empty if the header is absent. */
  getAll(name: string): string[];
  has(name: string): boolean;
  /** Returns the names in order, spelled as on the wire; a repeated header has one for each of its lines. */
  names(): string[];
  /** Calls `use` for each line in order, with the name spelled as on the wire. */
  forEach(use: (name: string, value: string) => void): void;
}

/** Headers of a message that is still to be sent. */
export interface Headers extends ReadonlyHeaders {
  /** Replaces all lines by one, at the position of the first, or by one for each value; "" removes the header. */
  set(name: string, value: string | readonly string[]): void;
  /** Adds a line, or one for each value, after the existing ones. An empty value does nothing. */
  append(name: string, value: string | readonly string[]): void;
  /**
   * Joins the lines to one, `value,existing…` (a comma without a space; for Cookie `value; existing…`), or
   * adds `value` if the header is absent. Headers whose lines are never joined get a line in front. An empty
   * value does nothing.
   */
  prepend(name: string, value: string | readonly string[]): void;
  delete(name: string): void;
  /** Applies prepared header edits, with the same result as the single calls in order. */
  edit(edits: HeaderEdits): void;
}

/** Request as received, read-only; `Exchange.upstream` is the request that is sent. */
export interface ReceivedRequest {
  /** Headers as received, before any plugin. */
  readonly headers: ReadonlyHeaders;
}

/** Request to the upstream. */
export interface UpstreamRequest {
  method: string;
  /**
   * Encoded path and query. Initially the normalized path with the query as received. A target that a plugin
   * sets is normalized before it is sent, or rejected with 400.
   */
  target: string;
  /** True to send the target as spelled; it is checked, and rejected with 400, like any other. */
  verbatim: boolean;
  /** Host that a plugin sets for the upstream, in place of `pass_host`. Undefined: `pass_host` decides. */
  host: string | undefined;
  readonly headers: Headers;
  /** Forwarding headers as sent ("X-Real-IP: …" and so on, each line with its CRLF); "" before that. */
  readonly forwardingLines: string;
  /**
   * Requests the whole body, in codings that gwc can decode: removes Range and If-Range, and restricts
   * Accept-Encoding.
   */
  requestFullBody(): void;
}

/** Rule of a body filter: plain data, so that another thread can apply it. */
export interface ReplaceRule {
  /** Flag `g` replaces all matches; without it only the first one is replaced. */
  readonly pattern: RegExp;
  /** Replacement of a match: a text, or texts and numbers of captures (0: the whole match). */
  readonly replacement: string | readonly (string | number)[];
  /** True to decode the body as UTF-8 before the rule and encode it after. Default: false. */
  readonly utf8?: boolean;
  /**
   * Lookahead in bytes: a match that starts at least this far before the end of the input so far is final.
   * Absent if the rule needs the whole body.
   */
  readonly window?: number;
  /** Bytes in front of a match that it depends on. Default: 0. */
  readonly lookbehind?: number;
  /** Trailing run of each match, as a sticky pattern: it may be cut anywhere, since it is not read. Absent: none. */
  readonly trailingRun?: RegExp;
  /**
   * Finds open matches, with flag `g` or `y`. It searches like `pattern`, in a text followed by `pad` times
   * U+0100, which represents bytes that have not arrived. A match that ends among them can change with more
   * text. Absent if undecidable: then all text within the window waits.
   */
  readonly partial?: RegExp;
  /** Number of placeholders for `partial`. Default: `window`. */
  readonly pad?: number;
}

/** One rule applied to one streamed body. */
export interface BodyStream {
  /** Takes the next piece, and returns the output that is final; with `last` all of the rest. */
  push(piece: string, last: boolean): string;
  /**
   * Returns further final output when no more input is available for now. `quiet`: no input has arrived for a
   * while, so this may cost another search of all pending text. Absent: only `push` returns output.
   */
  pause?(quiet: boolean): string;
  /** True if a quiet pause may return more than the last pause did. */
  readonly deferred?: boolean;
}

/** Filter for bodies, which are byte strings; created by `filter()` of the runtime. */
export interface BodyFilter {
  /** Filters a whole body. */
  readonly apply: (text: string) => string;
  /** Rules of `apply`, for another thread; absent if only `apply` can filter. */
  readonly rules?: readonly ReplaceRule[];
  /** Maximum body in bytes, both as received and as decoded; a larger one is not filtered. */
  readonly maxBytes: number;
  /** Sync limit in bytes, for any content. Default: 131,072. */
  readonly syncBytes?: number;
  /** Effect of a body above `maxBytes`: "refuse" replies 502, "pass" sends it unfiltered and counts it. */
  readonly oversize: "refuse" | "pass";
  /** Opens a stream for each rule, for one streamed body; absent if the filter needs the whole body. */
  readonly open?: () => BodyStream[];
}

/** Response to the client, from the upstream or a local reply. */
export interface ExchangeResponse {
  /** Status that the client will receive: 200 to 599. */
  status: number;
  readonly headers: Headers;
  /** True for a local reply: no route, 502, 503, 504, or `Exchange.respond` of a plugin. */
  readonly isLocalReply: boolean;
  /**
   * Returns a header as the upstream sent it, whatever changed later.
   * @returns undefined if the upstream sent no such header, or no response
   */
  received(name: string): string | undefined;
  /** Returns the same as a list of one value per line; empty if the upstream did not send the header. */
  receivedAll(name: string): string[];
  /**
   * Replaces the whole body, and sets Content-Length. Removes headers that describe the old body, such as
   * ETag and Content-Encoding. Does nothing to a partial response (206).
   */
  replaceBody(body: string): void;
  /**
   * Decodes and filters the body, streamed or buffered within limits. Several filters run in the order of the
   * calls. Does nothing to a partial response (206), or one in a coding that gwc cannot decode.
   */
  filterBody(filter: BodyFilter): void;
}

/**
 * Reason why buffering ended. "enough": the callback returned true. "ended": the body is complete without
 * that. "limit": it is longer than `maxBytes`. "room": the process buffers too many bodies. "gone": the
 * client disconnected, or violated the protocol and has its response.
 */
export type BufferOutcome = "enough" | "ended" | "limit" | "room" | "gone";

/**
 * Request with its response. Absent variables are `undefined`. Only numbers in the table of `variables.ts`
 * are numbers.
 */
export interface Exchange {
  readonly request: ReceivedRequest;
  readonly upstream: UpstreamRequest;
  readonly response: ExchangeResponse;

  readonly method: string;
  /** Target exactly as received. */
  readonly requestUri: string;
  /** Normalized path without query (docs/paths.md), which is matched and sent. */
  readonly uri: string;
  /** Raw query without "?"; "" if there is none. */
  readonly args: string;
  /** Host without port, in lower case; "" if the request has none (HTTP/1.0). */
  readonly host: string;
  readonly scheme: "http" | "https";
  /** "HTTP/1.1" or "HTTP/1.0". */
  readonly serverProtocol: string;
  /** Address of the client: of the peer, or the one that trusted proxies name. */
  readonly remoteAddr: string;
  readonly remotePort: number;
  readonly serverAddr: string;
  readonly serverPort: number;
  /** Epoch milliseconds of the first byte of the request. */
  readonly startedAt: number;
  /** Random id of 32 hex digits, created at the first use. */
  readonly requestId: string;
  readonly routeId: string | undefined;
  readonly routeName: string | undefined;
  readonly serviceId: string | undefined;
  readonly serviceName: string | undefined;
  /** Name of the consumer, set by the plugin that authenticates. */
  consumerName: string | undefined;

  /** Returns the first value of a query parameter, decoded; "" for a name without a value. */
  arg(name: string): string | undefined;
  cookie(name: string): string | undefined;
  /** Returns a path parameter, `:name` or `*name` of a path glob. */
  uriParam(name: string): string | undefined;
  /** Returns any other variable of the table (`variables.ts`), by its name without "$". */
  variable(name: string): string | number | undefined;
  /** Captures of the matching `regex_uri` pair; 0 is the whole match. Undefined: no pair matched. */
  captures: readonly (string | undefined)[] | undefined;

  /** Bytes of the request: its head, and its body as read, or as announced while the exchange runs. */
  readonly requestLength: number;
  /** Bytes sent to the client: head and body with its framing. Final in the log phase. */
  readonly bytesSent: number;
  /** Addresses of all attempts, "host:port" joined by ", "; undefined if the request was not proxied. */
  readonly upstreamAddr: string | undefined;
  /** Time in ms since the first byte of the request; fixed once the response is complete. */
  readonly latency: number;
  /** Total time of all attempts in ms; undefined if the request was not proxied. */
  readonly upstreamLatency: number | undefined;

  /**
   * Buffers the beginning of the request body until `enough` returns true. After the phase, it goes upstream
   * in front of the rest, which is streamed. To be awaited in the access phase; after "gone" nothing is left
   * to do.
   * @param enough receives all buffered bytes, at most `maxBytes`, valid only during the call; `ended` is
   * true if they are the whole body
   */
  bufferBody(maxBytes: number, enough: (held: Buffer, ended: boolean) => boolean): Promise<BufferOutcome>;
  /** Removes a range of the buffered body from captures for logs and, with `upstream`, from the request sent. */
  removeBodyRange(start: number, end: number, upstream: boolean): void;
  /** Captures the first `maxBytes` of the request body for `owner`. For the rewrite and access phases. */
  captureRequest(owner: object, maxBytes: number): void;
  /** Captures the first `maxBytes` of the response body, as the client receives it. For the headerFilter phase. */
  captureResponse(owner: object, maxBytes: number): void;
  /** Returns the body captured for `owner`; undefined if it captures none. For the acknowledge and log phases. */
  captured(owner: object, side: "request" | "response"): CapturedBody | undefined;
  /** Returns the first decoded value of a field of a urlencoded form. @param body undefined gives undefined */
  formField(body: string | undefined, name: string): string | undefined;
  /**
   * Returns the value at a path of a JSON body or a form: "a.b", or a JSONPath with "[", "*" or "..".
   * @param body undefined gives undefined
   */
  bodyValue(body: string | undefined, path: string): string | undefined;
  /** Returns a part of the GraphQL operation in a body. @param body undefined gives undefined */
  graphql(body: string | undefined, part: string): string | undefined;
  /**
   * Delays the last byte of the response until `until` is fulfilled. If it is rejected, the response is not
   * completed. For the acknowledge phase.
   */
  delayEndOfResponse(until: Promise<void> | undefined): void;
  /** Names that carry credentials in the generation of this exchange. */
  readonly credentials: Credentials;
  /** Returns the metadata of a plugin in the generation of this exchange. */
  pluginMetadata(plugin: string): PluginMetadataModule | undefined;

  /**
   * Ends the request phases with a local reply; response phases still run. A second call does nothing.
   * @param contentType default: application/json
   */
  respond(status: number, body: string, contentType?: string): void;
}

/**
 * Returns the record of a finished exchange: one line of JSON without line end, as a byte string that is
 * valid UTF-8. Fields without a value are omitted.
 */
export type RecordMaker = (x: Exchange, shown: RecordView) => string;

/** Returns fields that are added to the default record (`log_format_extra`). */
export type RecordFields = (x: Exchange, shown: RecordView) => RecordObject;

/** Metadata of a plugin (module id "plugin_metadata:<plugin>"): one value, which a write replaces. */
export interface PluginMetadataModule {
  /** Name of the plugin. */
  readonly id: string;
  /** Its `log_format`; absent: a logger without its own format makes the default record. */
  readonly record?: RecordMaker;
  /** Its `log_format_extra`, for loggers with neither their own format nor their own extra fields. */
  readonly extra?: RecordFields;
  /** Its other settings as configured, such as `max_pending_entries`. */
  readonly settings: Readonly<Record<string, unknown>>;
}
