import type { Timeouts, UpstreamTable } from "../../abi/generation.js";
import type { ResponseHead } from "../../http/response-head.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import type { UpstreamConnection, UpstreamFailure, UpstreamUser } from "../upstream/connection.js";
import { Attempt, errorOf, evidenceOf, IDEMPOTENT, NONE_TRIED, nextNode } from "./attempt.js";
import type { LiveNode, LiveUpstream } from "./contract.js";
import {
  EVENT,
  EVENT_NAMES,
  IGNORED,
  IMPOSSIBLE,
  nextState,
  STATE,
  STATE_NAMES,
  type StateName,
} from "./exchange-states.js";
import { FilteredBody, type FilteredExchange } from "./filtered-body.js";
import { upstreamHead } from "./forwarding.js";
import { headerFilters } from "./phases.js";
import { type RequestBodySink, sendRequest } from "./request-body.js";
import { filterSync } from "./response-body.js";
import {
  abortedStatus,
  bodiless,
  failWith,
  filteredWhole,
  passText,
  resetResponse,
  sendLocalReply,
  sendWhole,
  startPassing,
  tellUpstreamStatus,
  UNKNOWN_LENGTH,
  waitForClient,
} from "./send-response.js";
import { joinTunnel, opensWebSocket } from "./websocket.js";
import { allowedTrailers, passInterim } from "./withheld.js";
import type { WorkerContext } from "./worker-context.js";

/** Rest of a replaced body that is read and dropped to keep the connection, in bytes. */
const DROP_BYTES = 65_536;

/** Exchange with an upstream: attempts, bodies, response and failures. States: `exchange-states.ts`. */
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
  #filtered: FilteredBody | undefined = undefined;
  /** Complete body after filtering. */
  #filteredText: string | undefined = undefined;
  #head: ResponseHead | undefined = undefined;
  #dropped = 0;
  #state: number = STATE.connecting;

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

  get state(): StateName {
    return STATE_NAMES[this.#state] as StateName;
  }

  /** Moves to the state that an event leads to; returns false if the event has no effect now. */
  #transition(event: number): boolean {
    const next = nextState(this.#state, event);
    if (next < IGNORED) {
      this.#state = next;
      return true;
    }
    if (next === IMPOSSIBLE)
      this.#path.report("impossible_event", this.#x, `${EVENT_NAMES[event]} while ${this.state}`);
    return false;
  }

  start(): void {
    this.#upgrading = this.#x.inbound.head.upgrade !== undefined && opensWebSocket(this.#x);
    this.#x.inbound.onAbort = () => this.#clientGone();
    const node = this.#upstream.pick(this.#x, this.#tried);
    if (node !== null) this.#try(node, true);
    else if (this.#transition(EVENT.refused)) this.#localReply(503);
  }

  #try(node: LiveNode, mayReuse: boolean): void {
    if (this.#tried === NONE_TRIED) this.#tried = [node];
    else this.#tried.push(node);
    const pool = this.#path.pool(node, this.#table);
    const idle = mayReuse ? pool.takeIdle() : undefined;
    const attempt = new Attempt(this.#table.key, node, idle !== undefined);
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
    this.#send(this.#connection as UpstreamConnection, attempt);
  }

  #send(connection: UpstreamConnection, attempt: Attempt): void {
    if (!this.#transition(EVENT.sent)) return;
    const head = upstreamHead(this.#x, this.#table, attempt.node, this.#upgrading);
    this.#requestBody = sendRequest(this.#x, head, connection, this.#upgrading);
    this.#requestBody?.start(this.#x.bufferedRequest);
  }

  drained(): void {
    this.#x.inbound.resumeBody();
  }

  interim(head: ResponseHead): void {
    passInterim(this.#x, head);
  }

  head(head: ResponseHead): boolean {
    if (!this.#transition(EVENT.head) || !this.#filterHead(head, EVENT.refused)) return false;
    this.#choose(head);
    return true;
  }

  /** Runs the header phase; returns false if it failed, after ending the exchange with a 500. */
  #filterHead(head: ResponseHead, failure: number): boolean {
    const x = this.#x;
    this.#answered(head.status);
    x.response.receive(head);
    tellUpstreamStatus(x);
    try {
      headerFilters(x);
      return true;
    } catch (error) {
      if (!this.#transition(failure)) return false;
      this.#connection = undefined;
      this.#path.moduleFailed(x, error);
      this.#localReply(500);
      return false;
    }
  }

  #choose(head: ResponseHead): void {
    const x = this.#x;
    const { filters, replacement } = x.response;
    if (replacement !== undefined) this.#replace(replacement);
    else if (bodiless(x)) {
      if (!this.#transition(EVENT.leftOut)) return;
      startPassing(x, filters === undefined ? head : UNKNOWN_LENGTH);
      x.inbound.flush();
    } else if (filters === undefined) {
      if (this.#transition(EVENT.passes)) startPassing(x, head);
    } else if (this.#transition(EVENT.filters)) this.#head = head;
  }

  /** Sends a replacement; the rest of the upstream's body is read, or given up if it is long. */
  #replace(replacement: string): void {
    if (!this.#transition(EVENT.replaced)) return;
    const filtered = filteredWhole(this.#x, this.#path, replacement);
    if (filtered === undefined) this.#localReply(502);
    else {
      sendWhole(this.#x, filtered);
      this.#finish();
    }
  }

  data(buffer: Buffer, start: number, end: number): boolean {
    if (this.#attempt !== undefined) this.#attempt.bodyBytes += end - start;
    if (this.#state === STATE.passing) {
      const { inbound, responseCapture } = this.#x;
      this.#x.bodyBytesSent += end - start;
      if (responseCapture !== undefined) responseCapture.add(buffer, start, end);
      const pinned = inbound.data(buffer, start, end);
      if (inbound.full && !inbound.over) waitForClient(inbound, this.#connection);
      return pinned;
    }
    if (this.#state === STATE.filtering) this.#filter().add(buffer, start, end);
    else {
      this.#dropped += end - start;
      if (this.#dropped > DROP_BYTES) this.#overflow();
    }
    return false;
  }

  #overflow(): void {
    const withoutBody = this.#state === STATE.bodiless;
    if (!this.#transition(EVENT.overflowed)) return;
    this.#giveUpConnection();
    if (!withoutBody) return;
    this.#x.inbound.end();
    this.#finish();
  }

  /** Created for bodies that arrive in pieces, or need more than `filterSync`. */
  #filter(): FilteredBody {
    this.#filtered ??= new FilteredBody(this.#x, this.#path, this.#head as ResponseHead, this);
    return this.#filtered;
  }

  fed(): void {
    if (this.#state === STATE.filtering) this.#filtered?.fed();
  }

  text(body: string): void {
    if (this.#attempt !== undefined) this.#attempt.bodyBytes += body.length;
    if (this.#state === STATE.passing) passText(this.#x, body);
    else if (this.#state === STATE.filtering) {
      this.#filteredText = filterSync(this.#x, this.#path, body);
      if (this.#filteredText === undefined) this.#filter().addText(body);
    }
  }

  bodyFollows(): void {
    if (this.#state === STATE.passing) this.#x.inbound.flush();
    else if (this.#state === STATE.filtering) this.#filter().follows();
  }

  pause(): void {
    this.#connection?.pause();
  }

  resume(): void {
    this.#connection?.resume();
  }

  broken(event: string, reason: unknown, status = 502): void {
    if (!this.#transition(EVENT.refused)) return;
    this.#giveUpConnection();
    this.#path.report(event, this.#x, reason);
    this.#breakOff(status);
  }

  passRest(): void {
    if (this.#transition(EVENT.restPasses)) this.#filtered = undefined;
  }

  completed(): void {
    if (this.#transition(EVENT.completed)) this.#finish();
  }

  end(trailers: string | undefined): void {
    const before = this.#state;
    if (!this.#transition(EVENT.ended)) return;
    this.#connection = undefined;
    this.#attempt?.ended();
    if (before === STATE.passing || before === STATE.bodiless) {
      this.#x.inbound.end(
        before === STATE.passing ? allowedTrailers(this.#x, "response", trailers) : undefined,
      );
      this.#finish();
    } else if (before === STATE.filtering) {
      if (this.#filteredText === undefined) this.#filter().end();
      else {
        sendWhole(this.#x, this.#filteredText);
        this.completed();
      }
    }
  }

  failed(failure: UpstreamFailure, reason: string, silent: boolean): void {
    const attempt = this.#attempt as Attempt;
    if (this.#state > STATE.sending) {
      this.#brokenResponse(failure, reason);
      return;
    }
    this.#connection = undefined;
    const again = silent && IDEMPOTENT.has(this.#x.outgoing.method);
    const replayable = this.#requestBody === undefined && (this.#state === STATE.connecting || again);
    // The upstream closed an idle connection, which is no failure of the node: same node, new connection.
    if (attempt.reused && replayable && failure === "closed" && this.#transition(EVENT.retried)) {
      attempt.node.active--;
      this.#tried.pop();
      this.#try(attempt.node, false);
      return;
    }
    attempt.gaveUp(failure === "timeout" ? 504 : 502, errorOf(failure, reason));
    this.#x.attempted(attempt);
    const evidence = evidenceOf(this.#x, attempt, failure, this.#table, this.#timeouts);
    this.#path.attemptFailed(this.#upstream, attempt, failure, evidence);
    const next =
      replayable && failure !== "protocol"
        ? nextNode(this.#path, this.#upstream, this.#x, this.#tried, this.#startedAt)
        : null;
    this.#path.report("upstream_failed", this.#x, `${attempt.node.host}:${attempt.node.port}: ${reason}`);
    if (next === null) {
      if (this.#transition(EVENT.failed)) this.#localReply(failure === "timeout" ? 504 : 502);
    } else if (this.#transition(EVENT.retried)) this.#try(next, true);
  }

  #brokenResponse(failure: UpstreamFailure, reason: string): void {
    const before = this.#state;
    if (!this.#transition(EVENT.failed)) return;
    this.#connection = undefined;
    this.#attempt?.ended();
    this.#path.upstreamFailed(this.#table.key, failure);
    this.#path.report("upstream_broke_off", this.#x, reason);
    this.#filtered?.destroy();
    if (before !== STATE.draining) this.#breakOff(failure === "timeout" ? 504 : 502);
  }

  /** Sends the status if the client has nothing yet; otherwise cuts its connection. */
  #breakOff(status: number): void {
    const { inbound } = this.#x;
    if (!inbound.started || inbound.unsent) {
      resetResponse(this.#x);
      this.#localReply(status);
    } else {
      inbound.abort();
      this.#finish();
    }
  }

  switched(head: ResponseHead, early: Buffer): void {
    if (!this.#transition(EVENT.switched)) return;
    const connection = this.#connection as UpstreamConnection;
    if (!this.#filterHead(head, EVENT.closed)) {
      connection.destroy();
      return;
    }
    joinTunnel(this.#x, head, connection, this.#timeouts.read * 1_000, early, () => {
      if (this.#transition(EVENT.closed)) this.#finish();
    });
  }

  #answered(status: number): void {
    const attempt = this.#attempt as Attempt;
    attempt.answered(status);
    this.#x.attempted(attempt);
    this.#path.attemptAnswered(this.#upstream, attempt);
  }

  #clientGone(): void {
    const unanswered = this.#state <= STATE.sending;
    if (!this.#transition(EVENT.gone)) return;
    const x = this.#x;
    const connection = this.#connection;
    const attempt = this.#attempt;
    this.#connection = undefined;
    this.#filtered?.destroy();
    if (unanswered && attempt !== undefined) {
      attempt.gaveUp(undefined);
      x.attempted(attempt);
      this.#upstream.abandoned(attempt);
    } else if (connection !== undefined) attempt?.ended();
    if (!x.inbound.started) x.response.status = abortedStatus(x);
    connection?.destroy();
    this.#finish();
  }

  #giveUpConnection(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    this.#connection = undefined;
    this.#attempt?.ended();
    connection.destroy();
  }

  #localReply(status: number): void {
    if (this.#requestBody !== undefined) this.#requestBody.dropping = true;
    failWith(this.#x, status);
    tellUpstreamStatus(this.#x);
    sendLocalReply(this.#x, this.#path);
    this.#finish();
  }

  #finish(): void {
    this.#x.inbound.onAbort = undefined;
    this.#x.inbound.onDrain = undefined;
    this.#done(this.#x);
  }
}
