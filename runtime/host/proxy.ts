import type { Timeouts, UpstreamTable } from "../abi/generation.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import type { Failure, UpstreamConnection, UpstreamUser } from "../upstream/connection.js";
import type { ResponseHead } from "../wire/response-head.js";
import type { LiveNode, LiveUpstream } from "./contract.js";
import type { DataPath } from "./data-path.js";
import { upstreamHead } from "./forwarding.js";
import { statusLine } from "./own-response.js";
import { headerFilters } from "./phases.js";
import { RequestBodySink } from "./request-body.js";
import { applyFilters, bodiless, failWith, sendOwn, sendWhole, startPassing } from "./respond.js";
import { type Filtered, HeldBody } from "./response-body.js";
import { joinTunnel } from "./tunnel.js";

/** Methods that may be sent again when it is unknown whether the upstream acted (RFC 9110 section 9.2.2). */
const IDEMPOTENT = new Set(["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"]);
/** Status for the log when the client went before there was one, as nginx writes it. */
export const CLIENT_GONE = 499;
/** Rest of a replaced body that is read and dropped to keep the connection. */
const DROP_BYTES = 65_536;

/** Nearly every exchange tries one node, so the list is made for one. */
const NONE_TRIED: LiveNode[] = [];

/** What happens with the upstream's body. */
type BodyMode = "pass" | "hold" | "drop";

/** One exchange with an upstream: attempts, request body, response, and what becomes of failures. */
export class Proxying implements UpstreamUser {
  readonly #x: GatewayExchange;
  readonly #path: DataPath;
  readonly #upstream: LiveUpstream;
  readonly #table: UpstreamTable;
  readonly #timeouts: Timeouts;
  readonly #done: (x: GatewayExchange) => void;
  #tried: LiveNode[] = NONE_TRIED;
  #connection: UpstreamConnection | undefined = undefined;
  #node: LiveNode | undefined = undefined;
  #startedAt = 0;
  #attemptAt = 0;
  #reused = false;
  #sent = false;
  #upgrading = false;
  #requestBody: RequestBodySink | undefined = undefined;
  #mode: BodyMode = "pass";
  #held: HeldBody | undefined = undefined;
  #dropped = 0;
  #responded = false;
  /** The client has its response, or is gone. */
  #over = false;

  constructor(
    x: GatewayExchange,
    path: DataPath,
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
    this.#upgrading =
      this.#x.inbound.head.upgrade !== undefined && (this.#x.route?.row.enableWebsocket ?? false);
    this.#x.inbound.onAbort = () => this.#clientGone();
    const node = this.#upstream.pick(this.#x, this.#tried);
    if (node === null) this.#own(503);
    else this.#attempt(node, true);
  }

  #attempt(node: LiveNode, mayReuse: boolean): void {
    this.#node = node;
    if (this.#tried === NONE_TRIED) this.#tried = [node];
    else this.#tried.push(node);
    node.active++;
    this.#attemptAt = performance.now();
    if (this.#startedAt === 0) this.#startedAt = this.#attemptAt;
    const pool = this.#path.pool(node, this.#table);
    const idle = mayReuse ? pool.takeIdle() : undefined;
    this.#reused = idle !== undefined;
    this.#sent = false;
    const connection = idle ?? pool.open();
    this.#connection = connection;
    connection.serve(this, this.#timeouts);
    if (idle !== undefined) this.#send(connection, node);
  }

  connected(): void {
    if (this.#connection !== undefined && this.#node !== undefined) this.#send(this.#connection, this.#node);
  }

  #send(connection: UpstreamConnection, node: LiveNode): void {
    const { inbound, outgoing } = this.#x;
    const trusted = inbound.head.observed && this.#path.trusts(this.#x.remoteAddr);
    const head = upstreamHead(this.#x, this.#table, node, trusted, this.#upgrading);
    const isHead = outgoing.method === "HEAD";
    this.#sent = true;
    if (inbound.bodyDone) {
      connection.sendHead(head, isHead, false, this.#upgrading);
      return;
    }
    const sendHead = (piece: string) => connection.sendHead(head + piece, isHead, true, false);
    this.#requestBody = new RequestBodySink(inbound, connection, sendHead, () => {});
    this.#requestBody.start();
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
    this.#attemptOver(head.status, true);
    x.response.receive(head);
    tellUpstreamStatus(x);
    try {
      headerFilters(x);
    } catch (error) {
      this.#path.counters.moduleFailures++;
      this.#path.report("module_failed", x, error);
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
      this.#mode = "hold";
      this.#held = new HeldBody(x, this.#path);
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
      const filtered = applyFilters(response, response.replacement ?? "");
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
    if (this.#mode === "pass") {
      const { inbound } = this.#x;
      this.#x.bodyBytesSent += end - start;
      const pinned = inbound.data(buffer, start, end);
      if (inbound.full && !inbound.finished) this.#waitForClient();
      return pinned;
    }
    if (this.#mode === "drop") {
      this.#dropped += end - start;
      if (this.#dropped > DROP_BYTES) this.#giveUpConnection();
      return false;
    }
    const trouble = this.#held?.add(buffer, start, end);
    if (trouble !== undefined) this.#heldTooMuch(trouble);
    return false;
  }

  text(body: string): void {
    if (this.#mode === "pass") {
      this.#x.bodyBytesSent += body.length;
      this.#x.inbound.text(body);
    } else if (this.#mode === "hold") {
      const trouble = this.#held?.addText(body);
      if (trouble !== undefined) this.#heldTooMuch(trouble);
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

  #heldTooMuch(trouble: "room" | "oversize"): void {
    const held = this.#held as HeldBody;
    if (trouble === "oversize" && held.passesOversize) {
      this.#passUnfiltered(held);
      return;
    }
    this.#giveUpConnection();
    held.release();
    this.#mode = "drop";
    this.#path.report(
      trouble === "room" ? "buffered_bodies_full" : "body_too_large_to_filter",
      this.#x,
      trouble,
    );
    this.#own(trouble === "room" ? 503 : 502);
  }

  /** `on_oversize: pass`: what is held leaves as it came, with its coding, and the rest follows. */
  #passUnfiltered(held: HeldBody): void {
    const { response, inbound } = this.#x;
    this.#path.counters.oversizePassed++;
    if (response.coding !== "" && !response.headers.has("content-encoding")) {
      response.headers.append("Content-Encoding", response.coding);
    }
    response.filters = undefined;
    startPassing(this.#x, UNKNOWN_LENGTH);
    inbound.text(held.text);
    held.release();
    this.#held = undefined;
    this.#mode = "pass";
  }

  end(trailers: string | undefined): void {
    this.#connection = undefined;
    if (this.#mode === "hold") this.#filterHeld();
    else {
      if (!this.#x.inbound.finished) this.#x.inbound.end(this.#mode === "pass" ? trailers : undefined);
      this.#finish();
    }
  }

  #filterHeld(): void {
    const held = this.#held as HeldBody;
    if (!held.coded) {
      this.#sendFiltered(held.filtered());
      return;
    }
    held.decoded().then(
      (result) => {
        if (!this.#over) this.#sendFiltered(result);
      },
      (error: unknown) => {
        this.#path.report("filter_failed", this.#x, error);
        held.release();
        if (!this.#over) this.#own(500);
      },
    );
  }

  #sendFiltered(result: Filtered): void {
    const { response } = this.#x;
    if (result.kind === "refused") {
      this.#path.report("body_not_filtered", this.#x, result.reason);
      this.#own(502);
    } else {
      if (result.kind === "passed") {
        this.#path.counters.oversizePassed++;
        if (!response.headers.has("content-encoding"))
          response.headers.append("Content-Encoding", response.coding);
      }
      sendWhole(this.#x, result.body);
    }
    this.#held?.release();
    this.#finish();
  }

  failed(failure: Failure, reason: string, silent: boolean): void {
    const node = this.#node as LiveNode;
    const bodySent = this.#requestBody !== undefined;
    this.#connection = undefined;
    if (this.#responded) {
      this.#brokenResponse(failure, reason);
      return;
    }
    const replayable = !bodySent && (!this.#sent || (silent && IDEMPOTENT.has(this.#x.outgoing.method)));
    // An idle connection that the upstream closed meanwhile says nothing about the node: the same node, freshly connected.
    if (this.#reused && replayable && failure === "closed") {
      node.active--;
      this.#tried.pop();
      this.#attempt(node, false);
      return;
    }
    this.#path.counters.upstreamFailures++;
    this.#attemptOver(failure === "timeout" ? 504 : 502, false);
    this.#upstream.report(node, { failure: failure === "closed" ? "protocol" : failure });
    const next = replayable && failure !== "protocol" ? this.#nextNode() : null;
    this.#path.report("upstream_failed", this.#x, `${node.host}:${node.port}: ${reason}`);
    if (next !== null) this.#attempt(next, true);
    else this.#own(failure === "timeout" ? 504 : 502);
  }

  #nextNode(): LiveNode | null {
    if (this.#tried.length > this.#table.retries) return null;
    const { retryTimeout } = this.#table;
    if (retryTimeout > 0 && performance.now() - this.#startedAt > retryTimeout * 1_000) return null;
    return this.#upstream.pick(this.#x, this.#tried);
  }

  /** The head had arrived: what the client already has cannot be taken back, so the connection is cut. */
  #brokenResponse(failure: Failure, reason: string): void {
    const { inbound } = this.#x;
    this.#path.counters.upstreamFailures++;
    this.#path.report("upstream_broke_off", this.#x, reason);
    if (this.#mode === "hold") {
      this.#held?.release();
      this.#own(failure === "timeout" ? 504 : 502);
    } else if (!inbound.finished) {
      inbound.abort();
      this.#finish();
    }
  }

  switched(head: ResponseHead, early: Buffer): void {
    const connection = this.#connection as UpstreamConnection;
    this.#attemptOver(101, true);
    joinTunnel(this.#x, head, connection, this.#timeouts.read * 1_000, early, () => this.#finish());
  }

  #attemptOver(status: number, responded: boolean): void {
    const node = this.#node as LiveNode;
    const ms = performance.now() - this.#attemptAt;
    node.active--;
    this.#responded = responded;
    this.#x.attempted({ node, status, ms });
    if (responded) this.#upstream.report(node, { ms });
  }

  #clientGone(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    this.#held?.release();
    this.#mode = "drop";
    if (!this.#responded && this.#node !== undefined) this.#node.active--;
    if (this.#x.response.status === 0) this.#x.response.status = CLIENT_GONE;
    connection?.destroy();
    this.#finish();
  }

  #giveUpConnection(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    connection?.destroy();
    if (this.#x.inbound.finished) this.#finish();
  }

  #own(status: number): void {
    if (this.#requestBody !== undefined) this.#requestBody.dropping = true;
    failWith(this.#x, status);
    tellUpstreamStatus(this.#x);
    sendOwn(this.#x, this.#path);
    this.#finish();
  }

  #finish(): void {
    this.#over = true;
    this.#x.inbound.onAbort = undefined;
    this.#x.inbound.onDrain = undefined;
    this.#done(this.#x);
  }
}

/** Framing of a body whose length is not known beforehand. */
const UNKNOWN_LENGTH = { framing: { kind: "chunked" }, contentLength: undefined } as const;

/** Statuses of all attempts, when the last one failed or answered 5xx (reference 3.3). */
function tellUpstreamStatus({ attempts, response }: GatewayExchange): void {
  const last = attempts.at(-1)?.status;
  if (last === undefined || last < 500) return;
  response.headers.append("X-GW-Upstream-Status", attempts.map(({ status }) => status).join(", "));
}
