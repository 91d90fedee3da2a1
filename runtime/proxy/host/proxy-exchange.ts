import type { Timeouts, UpstreamTable } from "../../abi/generation.js";
import type { ResponseHead } from "../../http/response-head.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import type { Failure, UpstreamConnection, UpstreamUser } from "../upstream/connection.js";
import { Attempt } from "./attempt.js";
import type { LiveNode, LiveUpstream } from "./contract.js";
import { FilteredBody, type FilteredExchange } from "./filtered-body.js";
import { upstreamHead } from "./forwarding.js";
import { statusLine } from "./local-reply.js";
import { headerFilters } from "./phases.js";
import { RequestBodySink } from "./request-body.js";
import {
  applyFilters,
  bodiless,
  failWith,
  passText,
  sendOwn,
  sendWhole,
  startOver,
  startPassing,
  statusOfGone,
  tellUpstreamStatus,
  UNKNOWN_LENGTH,
} from "./respond.js";
import { filteredAtOnce } from "./response-body.js";
import { joinTunnel } from "./tunnel.js";
import { handshakeFault, opensWebSocket } from "./websocket.js";
import type { WorkerContext } from "./worker-context.js";

/** Methods that may be sent again when it is unknown whether the upstream acted (RFC 9110 section 9.2.2). */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);
/** Rest of a replaced body that is read and dropped to keep the connection. */
const DROP_BYTES = 65_536;

/** Nearly every exchange tries one node, so the list is made for one. */
const NONE_TRIED: LiveNode[] = [];

const switchFaultOf = (x: GatewayExchange) => (answer: ResponseHead) => handshakeFault(x, answer);

/** What happens with the upstream's body. */
type BodyMode = "pass" | "filter" | "drop";

/** One exchange with an upstream: attempts, request body, response, and what becomes of failures. */
export class ProxyExchange implements UpstreamUser, FilteredExchange {
  readonly #x: GatewayExchange;
  readonly #path: WorkerContext;
  readonly #upstream: LiveUpstream;
  readonly #table: UpstreamTable;
  readonly #timeouts: Timeouts;
  readonly #done: (x: GatewayExchange) => void;
  #tried: LiveNode[] = NONE_TRIED;
  #connection: UpstreamConnection | undefined = undefined;
  #attempt: Attempt | undefined = undefined;
  #startedAt = 0;
  #upgrading = false;
  #requestBody: RequestBodySink | undefined = undefined;
  #mode: BodyMode = "pass";
  #filtered: FilteredBody | undefined = undefined;
  /** A whole body that has been filtered already. */
  #filteredText: string | undefined = undefined;
  /** Of the response whose body is filtered. */
  #head: ResponseHead | undefined = undefined;
  #dropped = 0;
  #responded = false;

  constructor(
    x: GatewayExchange,
    path: WorkerContext,
    upstream: LiveUpstream,
    done: (x: GatewayExchange) => void,
  ) {
    this.#x = x;
    this.#path = path;
    this.#upstream = upstream;
    this.#table = upstream.table;
    this.#timeouts = x.route?.row.timeout ?? upstream.table.timeout;
    this.#done = done;
  }

  start(): void {
    this.#upgrading = this.#x.inbound.head.upgrade !== undefined && opensWebSocket(this.#x);
    this.#x.inbound.onAbort = () => this.#clientGone();
    const node = this.#upstream.pick(this.#x, this.#tried);
    if (node === null) this.#own(503);
    else this.#try(node, true);
  }

  #try(node: LiveNode, mayReuse: boolean): void {
    if (this.#tried === NONE_TRIED) this.#tried = [node];
    else this.#tried.push(node);
    const pool = this.#path.pool(node, this.#table);
    const idle = mayReuse ? pool.takeIdle() : undefined;
    const attempt = new Attempt(node, idle !== undefined);
    this.#attempt = attempt;
    if (this.#startedAt === 0) this.#startedAt = attempt.startedAt;
    const connection = idle ?? pool.open();
    this.#connection = connection;
    connection.serve(this, this.#timeouts);
    if (idle !== undefined) this.#send(connection, attempt);
  }

  connected(): void {
    const attempt = this.#attempt as Attempt;
    attempt.connected();
    if (this.#connection !== undefined) this.#send(this.#connection, attempt);
  }

  #send(connection: UpstreamConnection, attempt: Attempt): void {
    const { inbound, outgoing, heldRequest } = this.#x;
    const head = upstreamHead(this.#x, this.#table, attempt.node, this.#upgrading);
    const isHead = outgoing.method === "HEAD";
    attempt.sent = true;
    if (inbound.bodyDone && heldRequest === undefined) {
      connection.sendHead(head, isHead, false, this.#upgrading ? switchFaultOf(this.#x) : undefined);
      return;
    }
    const sendHead = (piece: string) => connection.sendHead(head + piece, isHead, true, undefined);
    this.#requestBody = new RequestBodySink(inbound, connection, sendHead, this.#x.requestCapture);
    this.#requestBody.start(heldRequest);
  }

  drained(): void {
    this.#x.inbound.resumeBody();
  }

  interim(head: ResponseHead): void {
    if (head.status !== 100)
      this.#x.inbound.interim(statusLine(head.status, head.reason) + head.headers.toWire());
  }

  head(head: ResponseHead): boolean {
    const x = this.#x;
    this.#answered(head.status);
    x.response.receive(head);
    tellUpstreamStatus(x);
    try {
      headerFilters(x);
    } catch (error) {
      this.#path.moduleFailed(x, error);
      this.#own(500);
      return false;
    }
    return this.#chooseMode(head);
  }

  #chooseMode(head: ResponseHead): boolean {
    const x = this.#x;
    const { response } = x;
    if (response.filters === undefined && response.replacement === undefined) {
      startPassing(x, head);
      this.#mode = bodiless(x) ? "drop" : "pass";
      if (this.#mode === "drop") x.inbound.flush();
    } else if (response.filters !== undefined && response.replacement === undefined && !bodiless(x)) {
      this.#mode = "filter";
      this.#head = head;
    } else {
      this.#mode = "drop";
      this.#sendReplacement();
    }
    return true;
  }

  /** The new body is known already; the upstream's is read to its end, or given up when it is long. */
  #sendReplacement(): void {
    const { response, inbound } = this.#x;
    if (bodiless(this.#x) && response.replacement === undefined) startPassing(this.#x, UNKNOWN_LENGTH);
    else {
      const filtered = applyFilters(this.#x, response.replacement ?? "");
      if (filtered === undefined) this.#own(502);
      else {
        sendWhole(this.#x, filtered);
        this.#finish();
      }
      return;
    }
    inbound.flush();
  }

  data(buffer: Buffer, start: number, end: number): boolean {
    if (this.#attempt !== undefined) this.#attempt.bodyBytes += end - start;
    if (this.#mode === "pass") {
      const { inbound, responseCapture } = this.#x;
      this.#x.bodyBytesSent += end - start;
      if (responseCapture !== undefined) responseCapture.add(buffer, start, end);
      const pinned = inbound.data(buffer, start, end);
      if (inbound.full && !inbound.over) this.#waitForClient();
      return pinned;
    }
    if (this.#mode === "drop") {
      this.#dropped += end - start;
      if (this.#dropped > DROP_BYTES) this.#giveUpConnection();
      return false;
    }
    this.#filter().add(buffer, start, end);
    return false;
  }

  /** Made for bodies that do not come whole, and for those that need more than their filters. */
  #filter(): FilteredBody {
    this.#filtered ??= new FilteredBody(this.#x, this.#path, this.#head as ResponseHead, this);
    return this.#filtered;
  }

  fed(): void {
    if (this.#mode === "filter") this.#filtered?.fed();
  }

  text(body: string): void {
    if (this.#attempt !== undefined) this.#attempt.bodyBytes += body.length;
    if (this.#mode === "pass") passText(this.#x, body);
    else if (this.#mode === "filter") {
      this.#filteredText = filteredAtOnce(this.#x, this.#path, body);
      if (this.#filteredText === undefined) this.#filter().addText(body);
    }
  }

  bodyFollows(): void {
    if (this.#mode === "pass") this.#x.inbound.flush();
  }

  #waitForClient(): void {
    const connection = this.#connection;
    connection?.pause();
    this.#x.inbound.onDrain = () => {
      this.#x.inbound.onDrain = undefined;
      connection?.resume();
    };
  }

  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#connection?.resume();
  }

  refuse(status: number, event: string, reason: unknown): void {
    this.#mode = "drop";
    this.#giveUpConnection();
    this.#path.report(event, this.#x, reason);
    this.#own(status);
  }

  broken(event: string, reason: unknown): void {
    const { inbound } = this.#x;
    if (!inbound.started || inbound.unsent) {
      startOver(this.#x);
      this.refuse(502, event, reason);
      return;
    }
    this.#mode = "drop";
    this.#path.report(event, this.#x, reason);
    inbound.abort();
    this.#giveUpConnection();
    this.#finish();
  }

  passRest(): void {
    this.#filtered = undefined;
    this.#mode = "pass";
  }

  completed(): void {
    this.#finish();
  }

  end(trailers: string | undefined): void {
    this.#connection = undefined;
    this.#attempt?.ended();
    if (this.#mode === "filter") {
      if (this.#filteredText === undefined) this.#filter().end();
      else {
        sendWhole(this.#x, this.#filteredText);
        this.#finish();
      }
    } else {
      this.#x.inbound.end(this.#mode === "pass" ? trailers : undefined);
      this.#finish();
    }
  }

  failed(failure: Failure, reason: string, silent: boolean): void {
    const attempt = this.#attempt as Attempt;
    const { node } = attempt;
    const bodySent = this.#requestBody !== undefined;
    this.#connection = undefined;
    if (this.#responded) {
      this.#brokenResponse(failure, reason);
      return;
    }
    const replayable = !bodySent && (!attempt.sent || (silent && IDEMPOTENT.has(this.#x.outgoing.method)));
    // An idle connection that the upstream closed meanwhile says nothing about the node: the same node, freshly connected.
    if (attempt.reused && replayable && failure === "closed") {
      node.active--;
      this.#tried.pop();
      this.#try(node, false);
      return;
    }
    this.#failure(failure);
    attempt.gaveUp(failure === "timeout" ? 504 : 502);
    this.#x.attempted(attempt);
    this.#upstream.report(node, { failure: failure === "closed" ? "protocol" : failure });
    const next = replayable && failure !== "protocol" ? this.#nextNode() : null;
    this.#path.report("upstream_failed", this.#x, `${node.host}:${node.port}: ${reason}`);
    if (next !== null) this.#try(next, true);
    else this.#own(failure === "timeout" ? 504 : 502);
  }

  #nextNode(): LiveNode | null {
    if (this.#tried.length > this.#table.retries) return null;
    const { retryTimeout } = this.#table;
    if (retryTimeout > 0 && performance.now() - this.#startedAt > retryTimeout * 1_000) return null;
    return this.#upstream.pick(this.#x, this.#tried);
  }

  /** The head had arrived: what the client already has cannot be taken back, so its connection is cut. */
  #brokenResponse(failure: Failure, reason: string): void {
    const { inbound } = this.#x;
    this.#attempt?.ended();
    this.#failure(failure);
    this.#path.report("upstream_broke_off", this.#x, reason);
    this.#filtered?.destroy();
    const untouched = !inbound.started || inbound.unsent;
    if (this.#mode !== "drop" && untouched && !inbound.over) {
      this.#mode = "drop";
      startOver(this.#x);
      this.#own(failure === "timeout" ? 504 : 502);
    } else if (!inbound.over) {
      inbound.abort();
      this.#finish();
    }
  }

  #failure(failure: Failure): void {
    this.#path.counters.upstreamFailures++;
    this.#path.metrics?.upstreamFailed(this.#table.key, failure);
  }

  switched(head: ResponseHead, early: Buffer): void {
    const connection = this.#connection as UpstreamConnection;
    this.#answered(101);
    this.#x.response.status = 101;
    joinTunnel(this.#x, head, connection, this.#timeouts.read * 1_000, early, () => this.#finish());
  }

  #answered(status: number): void {
    const attempt = this.#attempt as Attempt;
    attempt.answered(status);
    this.#responded = true;
    this.#x.attempted(attempt);
    this.#upstream.report(attempt.node, { ms: attempt.ms });
  }

  #clientGone(): void {
    const x = this.#x;
    const connection = this.#connection;
    const attempt = this.#attempt;
    this.#connection = undefined;
    this.#filtered?.destroy();
    this.#mode = "drop";
    if (!this.#responded && attempt !== undefined) {
      attempt.gaveUp(undefined);
      x.attempted(attempt);
    } else if (connection !== undefined) attempt?.ended();
    if (!x.inbound.started) x.response.status = statusOfGone(x);
    connection?.destroy();
    this.#finish();
  }

  #giveUpConnection(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#attempt?.ended();
    connection?.destroy();
    if (this.#x.inbound.over) this.#finish();
  }

  #own(status: number): void {
    if (this.#requestBody !== undefined) this.#requestBody.dropping = true;
    failWith(this.#x, status);
    tellUpstreamStatus(this.#x);
    sendOwn(this.#x, this.#path);
    this.#finish();
  }

  #finish(): void {
    this.#x.inbound.onAbort = undefined;
    this.#x.inbound.onDrain = undefined;
    this.#done(this.#x);
  }
}
