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
import { cookieValue, queryValue } from "../../http/path.js";
import type { LiveGeneration, LiveRoute, MatchSubject } from "../host/contract.js";
import { type Authority, authorityOf } from "./authority.js";
import { BodyCapture } from "./body-capture.js";
import { BufferedRequestBody, type RequestBodySource } from "./buffered-request-body.js";
import { OutgoingRequest } from "./outgoing-request.js";
import { RequestData } from "./request-data.js";
import { GatewayResponse } from "./response.js";
import type { AttemptRecord, ExchangeSource } from "./variables.js";
import { readVariable } from "./variables.js";

/** The process around an exchange; the data path is one. */
export interface ExchangeContext extends ByteBudget {
  /** Whose word about addresses is believed; absent: nobody's is. */
  readonly admission?: AddressTrust;
}

/** A list that grows from empty has room for 16; nearly every exchange needs one. */
const NO_ATTEMPTS: readonly AttemptRecord[] = [];

/** State of one request and its response: what pipelines see, over what the wire received. */
export class GatewayExchange<I extends ExchangeSource = InboundRequest> implements Exchange, MatchSubject {
  readonly inbound: I;
  /** That of its start; another that does the same while the exchange is traced. */
  generation: LiveGeneration;
  readonly request: ReceivedRequest;
  readonly response = new GatewayResponse();
  readonly uri: string;
  /** `uri` as routes compare it. */
  path: string;
  /** Other paths that an upstream may read in `uri` (`otherReadings`); undefined or empty for nearly every path. */
  readings: readonly string[] | undefined = undefined;
  /** `uri` with the query: what is sent unless a plugin makes another target. */
  target: string;
  readonly args: string;
  readonly startedAt: number;
  route: LiveRoute | undefined = undefined;
  uriParams: Record<string, string> | undefined = undefined;
  captures: readonly (string | undefined)[] | undefined = undefined;
  consumerName: string | undefined = undefined;
  attempts: readonly AttemptRecord[] = NO_ATTEMPTS;
  /** Bodies that somebody wants for a log. */
  requestCapture: BodyCapture | undefined = undefined;
  responseCapture: BodyCapture | undefined = undefined;
  /** Beginning of the request body that a phase looked at; it goes upstream in front of the rest. */
  bufferedRequest: BufferedRequestBody | undefined = undefined;
  /** A body that was held, and that counts until the client has taken it. */
  unsent: BufferedBytes | undefined = undefined;
  /** What the last byte of the response waits for. */
  heldUntil: Promise<void> | undefined = undefined;
  /** What bodies that are kept count against, and whose word is believed. */
  budget: ExchangeContext | undefined = undefined;
  /** Epoch milliseconds of the end of the response; 0 while it goes on. */
  endedAt = 0;
  /** The acknowledge phase has run. */
  acknowledged = false;
  /** Bytes of the response body that were sent. */
  bodyBytesSent = 0;
  /** The response is over and has been logged. */
  finished = false;
  /** A phase has answered with `respond`. */
  answered = false;
  #outgoing: OutgoingRequest | undefined = undefined;
  #client: string | undefined = undefined;
  #requestId: string | undefined = undefined;
  #data: RequestData | undefined = undefined;

  /** `uri` is the path of the target; see `beginExchange` for one that is not in normal form. */
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

  /** The exchange as it would be for another reading of its path: for a router and for conditions, never to be served. */
  readAs(uri: string): GatewayExchange<I> {
    const other = new GatewayExchange(this.inbound, this.generation, uri, this.args);
    other.path = matchedForm(uri);
    other.budget = this.budget;
    // A condition on it must not come out differently by chance.
    other.#requestId = this.requestId;
    return other;
  }

  attempted(attempt: AttemptRecord): void {
    this.attempts = this.attempts === NO_ATTEMPTS ? [attempt] : [...this.attempts, attempt];
  }

  get upstream(): UpstreamRequest {
    return this.outgoing;
  }

  /** The request to the upstream, made when somebody changes it or it is sent. */
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

  /** The authority that the client named. */
  get authority(): Authority {
    return authorityOf(this.inbound.head.authority);
  }

  get scheme(): "http" | "https" {
    return this.inbound.connection.secure === undefined ? "http" : "https";
  }

  get serverProtocol(): string {
    return this.inbound.head.minor === 1 ? "HTTP/1.1" : "HTTP/1.0";
  }

  /** The peer's address, or behind trusted proxies the one that they name. */
  get remoteAddr(): string {
    const { head, connection } = this.inbound;
    if (!head.observed) return connection.remoteAddr;
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

  /** Bytes of the request: its head, and its body as far as it was read, or until the end as it was announced. */
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
    // Only a request that was merely imagined has no body to read.
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
    // Also where nobody waits for it any more, as when the client has gone.
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

  /** Several fields of a record read one body. */
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
