import { ambient } from "../../abi/ambient.js";
import type { BufferedBytes, ByteBudget } from "../../abi/buffered-bytes.js";
import type {
  BufferOutcome,
  Exchange,
  PluginMetadataModule,
  ReceivedRequest,
  UpstreamRequest,
} from "../../abi/exchange.js";
import { type CapturedBody, type Credentials, NO_CREDENTIALS } from "../../abi/log.js";
import { matchedForm } from "../../abi/path.js";
import { type AddressTrust, clientAddress } from "../../http/client-address.js";
import type { InboundRequest } from "../../http/inbound-request.js";
import { type Authority, authorityOf, cookieValue, queryValue } from "../../http/request-values.js";
import type { LiveGeneration, LiveRoute, MatchSubject } from "../host/contract.js";
import { BodyCapture } from "./body-capture.js";
import { BufferedRequestBody, type RequestBodySource } from "./buffered-request-body.js";
import { OutgoingRequest } from "./outgoing-request.js";
import { RequestData } from "./request-data.js";
import { GatewayResponse } from "./response.js";
import { type AttemptRecord, type ExchangeSource, readVariable } from "./variables.js";

export interface ExchangeContext extends ByteBudget {
  /** Trusted proxies; absent: none. */
  readonly admission?: AddressTrust;
}

/** Shared empty list: a list that grows from empty has room for 16, and nearly every exchange needs one. */
const NO_ATTEMPTS: readonly AttemptRecord[] = [];

/** State of one request and its response, as pipelines see it. */
export class GatewayExchange<I extends ExchangeSource = InboundRequest> implements Exchange, MatchSubject {
  readonly inbound: I;
  /** Generation at the start; replaced by an equivalent one while the exchange is traced. */
  generation: LiveGeneration;
  readonly request: ReceivedRequest;
  readonly response = new GatewayResponse();
  readonly uri: string;
  /** `uri` in the form that routes compare. */
  path: string;
  /** Other paths that an upstream may read in `uri` (`otherReadings`); undefined or empty for nearly every path. */
  readings: readonly string[] | undefined = undefined;
  /** `uri` with the query; sent unless a plugin sets another target. */
  target: string;
  readonly args: string;
  readonly startedAt: number;
  route: LiveRoute | undefined = undefined;
  uriParams: Record<string, string> | undefined = undefined;
  captures: readonly (string | undefined)[] | undefined = undefined;
  consumerName: string | undefined = undefined;
  attempts: readonly AttemptRecord[] = NO_ATTEMPTS;
  requestCapture: BodyCapture | undefined = undefined;
  responseCapture: BodyCapture | undefined = undefined;
  /** Beginning of the request body that a phase buffered; it goes upstream in front of the rest. */
  bufferedRequest: BufferedRequestBody | undefined = undefined;
  /** Buffered body that counts in the budget until the client has received it. */
  unsent: BufferedBytes | undefined = undefined;
  /** Promise that delays the end of the response. */
  heldUntil: Promise<void> | undefined = undefined;
  budget: ExchangeContext | undefined = undefined;
  /** End of the response in epoch milliseconds; 0 before. */
  endedAt = 0;
  acknowledged = false;
  bodyBytesSent = 0;
  /** True once the response is over and logged. */
  finished = false;
  /** True once a phase has called `respond`. */
  answered = false;
  #outgoing: OutgoingRequest | undefined = undefined;
  #client: string | undefined = undefined;
  #requestId: string | undefined = undefined;
  #data: RequestData | undefined = undefined;

  /** @param uri path of the target; see `beginExchange` for one that is not normalized */
  constructor(inbound: I, generation: LiveGeneration, uri: string, args: string) {
    this.inbound = inbound;
    this.generation = generation;
    this.request = inbound.head;
    this.uri = uri;
    this.path = uri;
    this.target = inbound.head.target;
    this.args = args;
    this.startedAt = inbound.connection.startedAt;
  }

  /** Another reading of the path, only for matching routes and conditions, never to be served. */
  readAs(uri: string): GatewayExchange<I> {
    const other = new GatewayExchange(this.inbound, this.generation, uri, this.args);
    other.path = matchedForm(uri);
    other.budget = this.budget;
    // Same id, so that a condition on it gives the same result.
    other.#requestId = this.requestId;
    return other;
  }

  attempted(attempt: AttemptRecord): void {
    this.attempts = this.attempts === NO_ATTEMPTS ? [attempt] : [...this.attempts, attempt];
  }

  get upstream(): UpstreamRequest {
    return this.outgoing;
  }

  /** Request to the upstream, created when it is changed or sent. */
  get outgoing(): OutgoingRequest {
    this.#outgoing ??= new OutgoingRequest(this.inbound.head, this.target);
    return this.#outgoing;
  }

  get method(): string {
    return this.inbound.head.method;
  }

  get requestUri(): string {
    return this.inbound.head.target;
  }

  get host(): string {
    return authorityOf(this.inbound.head.authority).host;
  }

  get authority(): Authority {
    return authorityOf(this.inbound.head.authority);
  }

  get scheme(): "http" | "https" {
    return this.inbound.connection.secure === undefined ? "http" : "https";
  }

  get serverProtocol(): string {
    return this.inbound.head.minor === 1 ? "HTTP/1.1" : "HTTP/1.0";
  }

  /** The peer's address, or the client's as named by trusted proxies. */
  get remoteAddr(): string {
    const { head, connection } = this.inbound;
    if (!head.hasForwardingHeader) return connection.remoteAddr;
    this.#client ??= this.#namedClient();
    return this.#client;
  }

  #namedClient(): string {
    const { remoteAddr } = this.inbound.connection;
    const admission = this.budget?.admission;
    return admission === undefined
      ? remoteAddr
      : clientAddress(remoteAddr, this.inbound.head.headers, admission);
  }

  get remotePort(): number {
    return this.inbound.connection.remotePort;
  }

  get serverAddr(): string {
    return this.inbound.connection.serverAddr;
  }

  get serverPort(): number {
    return this.inbound.connection.serverPort;
  }

  get requestId(): string {
    this.#requestId ??= ambient.hex(16);
    return this.#requestId;
  }

  get routeId(): string | undefined {
    return this.route?.row.id;
  }

  get routeName(): string | undefined {
    return this.route?.row.name;
  }

  get serviceId(): string | undefined {
    return this.route?.row.serviceId;
  }

  get serviceName(): string | undefined {
    return this.route?.row.serviceName;
  }

  /** Bytes of the request: its head, and its body as read so far, or the announced length before the end. */
  get requestLength(): number {
    const { head, decoder } = this.inbound;
    const announced = this.endedAt === 0 && head.framing.kind === "length" ? head.framing.length : 0;
    return head.bytes + Math.max(announced, decoder?.received ?? 0);
  }

  get bytesSent(): number {
    return this.inbound.bytesSent;
  }

  get upstreamAddr(): string | undefined {
    const { attempts } = this;
    return attempts.length === 0
      ? undefined
      : attempts.map(({ node }) => `${node.host}:${node.port}`).join(", ");
  }

  get latency(): number {
    return Math.max(0, (this.endedAt === 0 ? ambient.now() : this.endedAt) - this.startedAt);
  }

  get upstreamLatency(): number | undefined {
    const { attempts } = this;
    return attempts.length === 0 ? undefined : attempts.reduce((sum, { ms }) => sum + ms, 0);
  }

  bufferBody(maxBytes: number, enough: (held: Buffer, ended: boolean) => boolean): Promise<BufferOutcome> {
    // Only a simulated request has no body to read.
    this.bufferedRequest ??= new BufferedRequestBody(
      this.inbound as unknown as RequestBodySource,
      this.budget,
    );
    return this.bufferedRequest.hold(maxBytes, enough);
  }

  removeBodyRange(start: number, end: number, upstream: boolean): void {
    this.bufferedRequest?.cut(start, end, upstream);
  }

  captureRequest(owner: object, maxBytes: number): void {
    if (this.requestCapture === undefined) {
      this.requestCapture = new BodyCapture(this.budget);
      this.requestCapture.coding = this.request.headers.get("content-encoding")?.toLowerCase() ?? "";
    }
    this.requestCapture.want(owner, maxBytes);
  }

  captureResponse(owner: object, maxBytes: number): void {
    this.responseCapture ??= new BodyCapture(this.budget);
    this.responseCapture.want(owner, maxBytes);
  }

  captured(owner: object, side: "request" | "response"): CapturedBody | undefined {
    return (side === "request" ? this.requestCapture : this.responseCapture)?.of(owner);
  }

  delayEndOfResponse(until: Promise<void> | undefined): void {
    if (until === undefined) return;
    const held = this.heldUntil;
    this.heldUntil = held === undefined ? until : Promise.all([held, until]).then(() => {});
    // Handled even if nobody awaits it any more, as after the client has disconnected.
    this.heldUntil.catch(() => {});
  }

  get credentials(): Credentials {
    return this.generation.credentials ?? NO_CREDENTIALS;
  }

  pluginMetadata(plugin: string): PluginMetadataModule | undefined {
    return this.generation.pluginMetadata.get(plugin);
  }

  arg(name: string): string | undefined {
    return queryValue(this.args, name);
  }

  cookie(name: string): string | undefined {
    for (const line of this.request.headers.getAll("cookie")) {
      const value = cookieValue(line, name);
      if (value !== undefined) return value;
    }
    return undefined;
  }

  formField(body: string | undefined, name: string): string | undefined {
    return body === undefined ? undefined : this.#bodyData(body).formField(name);
  }

  bodyValue(body: string | undefined, path: string): string | undefined {
    return body === undefined ? undefined : this.#bodyData(body).value(path);
  }

  graphql(body: string | undefined, part: string): string | undefined {
    return body === undefined ? undefined : this.#bodyData(body).graphql(part);
  }

  /** Cached, since several fields of a record read one body. */
  #bodyData(body: string): RequestData {
    if (this.#data?.body !== body)
      this.#data = new RequestData(this.request.headers.get("content-type") ?? "", body);
    return this.#data;
  }

  uriParam(name: string): string | undefined {
    return this.uriParams?.[name];
  }

  variable(name: string): string | number | undefined {
    return readVariable(this, name);
  }

  respond(status: number, body: string, contentType = "application/json"): void {
    if (this.answered) return;
    this.answered = true;
    this.response.answer(status, body, contentType);
  }
}
