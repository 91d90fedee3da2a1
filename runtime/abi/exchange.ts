import type { RecordObject, RecordView } from "./log.js";
/**
 * What generated code sees of one request and its response.
 *
 * Every string here is a **byte string**: one character per byte (latin1). The wire is bytes, PCRE without
 * `u` works on bytes, and nothing is decoded that nobody asked to decode. Text from the configuration that is
 * not ASCII is turned into its UTF-8 bytes at compile time (`utf8("…")` in generated code).
 */

import type { CapturedBody, Credentials } from "./log.js";
import type { HeaderEdits } from "./text/header-edits.js";

/** Ordered header list that is only read: spelling kept, look-up ignores case, repeated fields kept apart. Framing fields are not in it. */
export interface ReadonlyHeaders {
  /**
   * All values of the field as one text, in order, or undefined when absent: joined by ", " (RFC 9110 section 5.3), those of Cookie
   * by "; ", and by a line feed those that are never joined, such as Set-Cookie (text/field-lines.ts).
   */
  get(name: string): string | undefined;
  /** The values of the field, one per line, in order; empty when absent. */
  getAll(name: string): string[];
  has(name: string): boolean;
  /** Names in order as spelled on the wire, one per line (so repeated fields repeat). */
  names(): string[];
  /** Every line in order, its name as spelled on the wire. */
  forEach(use: (name: string, value: string) => void): void;
}

/** The same of a message that is still to be sent. */
export interface Headers extends ReadonlyHeaders {
  /** Replaces every line of the field by one, at the place of the first, or by one for each value. Empty ones leave no line. */
  set(name: string, value: string | readonly string[]): void;
  /** Adds another line, or one for each value, after the existing ones. An empty value does nothing. */
  append(name: string, value: string | readonly string[]): void;
  /**
   * Makes one line `value,existing…` (comma without blank; of Cookie `value; existing…`), or `value` when absent; fields that are never
   * joined get a line in front. An empty value does nothing.
   */
  prepend(name: string, value: string | readonly string[]): void;
  delete(name: string): void;
  /** Does the prepared edits, with the outcome that the calls would have one after the other. */
  edit(edits: HeaderEdits): void;
}

/** The received request. Read-only for plugins; what goes upstream is `Exchange.upstream`. */
export interface ReceivedRequest {
  /** Fields as received, before any plugin touched them. */
  readonly headers: ReadonlyHeaders;
}

/** The request as it will be sent to the upstream. */
export interface UpstreamRequest {
  method: string;
  /**
   * Request target (path and query, already encoded); starts as the path in normal form and the query as received. Before it
   * is sent, another one is brought into normal form too, or refused with 400.
   */
  target: string;
  /** The target is sent in the spelling that it has; it is refused as any other. */
  verbatim: boolean;
  /** Host sent upstream when a plugin sets one; it wins over `pass_host`. Undefined: `pass_host` decides. */
  host: string | undefined;
  readonly headers: Headers;
  /** Forwarding fields as they were sent ("X-Real-IP: …" and so on, each line ended by CRLF); "" before that. */
  readonly forwardingLines: string;
  /** The body is going to be changed: asks for all of it (no Range, no If-Range), in codings that can be undone. */
  requestFullBody(): void;
}

/** One replacement of a body filter, as generated modules state it. Plain data, so that another thread can do it too. */
export interface ReplaceRule {
  /** With flag `g` all matches are replaced, else the first. */
  readonly pattern: RegExp;
  /** What a match becomes: a text, or texts and numbers of captures (0: the whole match). */
  readonly replacement: string | readonly (string | number)[];
  /** The text is decoded as UTF-8 before and encoded after. */
  readonly utf8?: boolean;
  /**
   * A match that starts so many bytes before the end of what has come, or earlier, does not depend on the rest. Absent
   * where the rule needs the whole body.
   */
  readonly window?: number;
  /** Bytes in front of a match that it depends on. */
  readonly lookbehind?: number;
  /** Sticky: the run that ends each match and may be cut anywhere, since the replacement does not read it. */
  readonly trailingRun?: RegExp;
  /**
   * Searches like the pattern in a text that has `pad` (default: `window`) times U+0100 behind it, which stands for bytes that
   * have not come: a match that ends among them can change with more text. With flag `g` or `y`. Absent where nobody can tell.
   */
  readonly partial?: RegExp;
  readonly pad?: number;
}

/** A filter over one body that comes in pieces. */
export interface BodyStream {
  /** Takes the next piece; returns what is decided of the new body. `last`: there is no more, and the rest is returned. */
  push(piece: string, last: boolean): string;
  /**
   * Nothing more has come for now: returns what else is decided. `quiet`: nothing has come for a while, so this may cost as
   * much as another look at all that is kept. Absent: nothing is decided but by `push`.
   */
  pause?(quiet: boolean): string;
  /** A pause that is quiet may return more than the last one did. */
  readonly deferred?: boolean;
}

/** A filter over bodies, byte strings. Made by `filter()` in the runtime. */
export interface BodyFilter {
  /** Over a whole body. */
  readonly apply: (text: string) => string;
  /** What `apply` does, for another thread; absent where only `apply` knows. */
  readonly rules?: readonly ReplaceRule[];
  /** Bodies above this many bytes, as they come or decoded, are not filtered. */
  readonly maxBytes: number;
  /** Bytes that it gets through without holding up an event loop, whatever they are; absent: 131,072. */
  readonly syncBytes?: number;
  /** What happens above `maxBytes`: "refuse" answers 502, "pass" sends the body unfiltered and counts it. */
  readonly oversize: "refuse" | "pass";
  /** Opens the filter for one body in pieces, one stream a rule; absent where it needs the whole body. */
  readonly open?: () => BodyStream[];
}

/** The response on its way to the client, from the upstream or made by the gateway. */
export interface ExchangeResponse {
  /** Status the client will get; 200..599. */
  status: number;
  readonly headers: Headers;
  /** True when the gateway itself made the response (no route, 502, 503, 504, a plugin's answer). */
  readonly isLocalReply: boolean;
  /** The field as the upstream sent it, whatever was changed since; undefined when it did not, or sent nothing. */
  received(name: string): string | undefined;
  /** The same, one value per line; empty when it did not. */
  receivedAll(name: string): string[];
  /** Replaces the whole body; Content-Length becomes its length; validators and codings of the old body go. */
  replaceBody(body: string): void;
  /** Decodes and filters the body, in pieces or held (bounded); several filters run in the order they were asked for. */
  filterBody(filter: BodyFilter): void;
}

/**
 * Why a body is held no longer: `enough` was true; it has ended, or `maxBytes` of it are there, and `enough` was never true;
 * the process holds too many bodies already; the client went, or broke the protocol and has its answer.
 */
export type BufferOutcome = "enough" | "ended" | "limit" | "room" | "gone";

/** One request and its response. Absent variables are `undefined`; numbers are numbers only where the table says so. */
export interface Exchange {
  readonly request: ReceivedRequest;
  readonly upstream: UpstreamRequest;
  readonly response: ExchangeResponse;

  readonly method: string;
  /** Request target exactly as received. */
  readonly requestUri: string;
  /** Path in normal form, without query (docs/paths.md): what routes are matched on, and what is sent. */
  readonly uri: string;
  /** Raw query without "?", "" when there is none. */
  readonly args: string;
  /** Host without port, lower-case; "" when the request has none (HTTP/1.0). */
  readonly host: string;
  readonly scheme: "http" | "https";
  /** "HTTP/1.1" or "HTTP/1.0". */
  readonly serverProtocol: string;
  /** Address of the client: the peer's, or behind trusted proxies the one that they name. */
  readonly remoteAddr: string;
  readonly remotePort: number;
  readonly serverAddr: string;
  readonly serverPort: number;
  /** Epoch milliseconds of the first byte of the request. */
  readonly startedAt: number;
  /** 32 hex digits, made on first use. */
  readonly requestId: string;
  readonly routeId: string | undefined;
  readonly routeName: string | undefined;
  readonly serviceId: string | undefined;
  readonly serviceName: string | undefined;
  /** Set by the plugin that authenticates. */
  consumerName: string | undefined;

  /** First value of a query parameter, decoded; "" for a bare name. */
  arg(name: string): string | undefined;
  cookie(name: string): string | undefined;
  /** Path parameter of a `:name` or `*name` pattern. */
  uriParam(name: string): string | undefined;
  /** Any other variable of the table (`variables.ts`), by name without "$". */
  variable(name: string): string | number | undefined;
  /** Captures of the regex_uri pair that matched; index 0 is the whole match. */
  captures: readonly (string | undefined)[] | undefined;

  /** Bytes of the request: line, headers and body as far as it was read. */
  readonly requestLength: number;
  /** Bytes sent to the client: head and body as framed. Final in the log phase. */
  readonly bytesSent: number;
  /** "ip:port" of the nodes that were tried, joined with ", "; undefined when the request was not proxied. */
  readonly upstreamAddr: string | undefined;
  /** Milliseconds since the first byte of the request; fixed once the response is complete. */
  readonly latency: number;
  /** Milliseconds that the upstream took, over all attempts; undefined when the request was not proxied. */
  readonly upstreamLatency: number | undefined;

  /**
   * Holds the beginning of the request body until `enough`, which sees all that is there, at most `maxBytes` (borrowed), and
   * whether the body has ended. After the phase it goes upstream in front of the rest, which nobody holds. To be awaited in
   * the access phase; after "gone" nothing is left to do.
   */
  bufferBody(maxBytes: number, enough: (held: Buffer, ended: boolean) => boolean): Promise<BufferOutcome>;
  /** Leaves bytes of what is held out of what logs keep and, with `upstream`, of what the upstream gets. */
  removeBodyRange(start: number, end: number, upstream: boolean): void;
  /** Keeps the first `maxBytes` of the request body for `owner`. In the rewrite and access phases. */
  captureRequest(owner: object, maxBytes: number): void;
  /** Keeps the first `maxBytes` of the response body that the client gets for `owner`. In the header phase. */
  captureResponse(owner: object, maxBytes: number): void;
  /** What was kept for `owner`; undefined when it asked for nothing. In the acknowledge and log phases. */
  captured(owner: object, side: "request" | "response"): CapturedBody | undefined;
  /** First value of a field of `body`, the request's, when it is a urlencoded form; decoded. */
  formField(body: string | undefined, name: string): string | undefined;
  /** Value at a path of `body`, the request's, in JSON or a form: "a.b", or a JSONPath with "[", "*" or "..". */
  bodyValue(body: string | undefined, path: string): string | undefined;
  /** Part of the GraphQL operation that `body`, the request's, asks for. */
  graphql(body: string | undefined, part: string): string | undefined;
  /** The last byte of the response waits for `until`; when that is rejected the response is not completed. In the acknowledge phase. */
  delayEndOfResponse(until: Promise<void> | undefined): void;
  /** What carries credentials in the generation of this request. */
  readonly credentials: Credentials;
  /** Metadata of a plugin in the generation of this request. */
  pluginMetadata(plugin: string): PluginMetadataModule | undefined;

  /** Ends the request phases with an answer of the gateway's own; response phases still run. */
  respond(status: number, body: string, contentType?: string): void;
}

/**
 * Makes the record of a finished exchange: one line of JSON without line end, as a byte string that is valid UTF-8.
 * Fields without a value are left out.
 */
export type RecordMaker = (x: Exchange, shown: RecordView) => string;

/** Makes fields that are added to the default record (`log_format_extra`). */
export type RecordFields = (x: Exchange, shown: RecordView) => RecordObject;

/** What the module of a plugin's metadata exports (unit "plugin_metadata:<plugin>"): one value that a write swaps. */
export interface PluginMetadataModule {
  /** Name of the plugin. */
  readonly id: string;
  /** Its `log_format`; absent: loggers without a format of their own make the default record. */
  readonly record?: RecordMaker;
  /** Its `log_format_extra`, for loggers that have neither a format nor extra fields of their own. */
  readonly extra?: RecordFields;
  /** Its other settings as written, such as `max_pending_entries`. */
  readonly settings: Readonly<Record<string, unknown>>;
}
