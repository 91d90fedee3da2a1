import type { AddressInfo, Socket } from "node:net";
import { PathFault } from "../../abi/path.js";
import { ClientConnection } from "../../http/client-connection.js";
import { bad, type WireFault } from "../../http/fault.js";
import type { ConnectionEvents, InboundRequest } from "../../http/inbound-request.js";
import type { Limits } from "../../http/limits.js";
import { type Listener, Listeners } from "../../http/listeners.js";
import { Handshakes } from "../../http/tls/handshakes.js";
import type { Presented } from "../../http/tls/presented.js";
import { isOutdated, type SecureClient, SecureConnection } from "../../http/tls/secure-connection.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import { beginExchange } from "../exchange/target.js";
import { applyAdmission, isTrace } from "./admission.js";
import type { LiveGeneration } from "./contract.js";
import { refusalText } from "./local-reply.js";
import { closingPhases, mustAcknowledge, requestPhases } from "./phases.js";
import { ProxyExchange } from "./proxy-exchange.js";
import { matchRoute } from "./readings.js";
import { acknowledge, ResponseAckGate } from "./response-ack-gate.js";
import { endOutdatedClients, SecureEvents } from "./secure-clients.js";
import { abortedStatus, failWith, selectUpstream, sendLocalReply } from "./send-response.js";
import { WorkerContext, type WorkerContextOptions } from "./worker-context.js";

export interface DataServerOptions extends WorkerContextOptions {
  generation: () => LiveGeneration;
  /** Finds the certificate for a client of a TLS listener. Default: none. */
  presents?: (serverName: string | undefined) => Presented | undefined;
  /** Access log; `write` is read for each finished request. */
  accessLog?: { readonly write: ((x: GatewayExchange) => void) | undefined };
  /** Tracer; `begin` is read for each request whose route is known. */
  tracer?: { readonly begin: ((x: GatewayExchange) => void) | undefined };
  /** Called at the start and at the end of each request, to count requests in flight by generation. */
  onRequestStart?: (generation: LiveGeneration) => void;
  onRequestEnd?: (generation: LiveGeneration) => void;
}

/** Time in ms in which clients with an idle connection learn of a stop from the response to their next request. */
const FAREWELL_MS = 500;

/** Resolves when all bytes that had arrived are read: Node polls its sockets between two immediates. */
async function socketsRead(): Promise<void> {
  for (let turn = 0; turn < 2; turn++) await new Promise((resolve) => setImmediate(resolve));
}

export class DataServer implements ConnectionEvents {
  readonly #options: DataServerOptions;
  readonly #path: WorkerContext;
  readonly #connections = new Set<ClientConnection>();
  readonly #listeners = new Listeners();
  readonly #handshakes: Handshakes;
  #stopping = false;

  constructor(options: DataServerOptions) {
    this.#options = options;
    this.#path = new WorkerContext(options);
    const { limits, deadlines } = this.#path;
    this.#handshakes = new Handshakes(limits, deadlines, {
      find: (serverName) => this.#presents(serverName),
      secured: (client) => this.#secured(client),
      plain: (socket, first) => this.#plain(socket, first),
      failed: (outcome) => this.#path.metrics?.handshake(outcome),
    });
  }

  /** Starts accepting; may be called for several listeners. @returns the bound address */
  accept(listener: Listener, secure = false): Promise<AddressInfo> {
    return this.#listeners.listen(listener, (socket) => this.#connected(socket, secure));
  }

  readonly #presents = (serverName: string | undefined): Presented | undefined =>
    this.#options.presents?.(serverName);

  #connected(socket: Socket, secure: boolean): void {
    const { limits, deadlines } = this.#path;
    const count = this.#connections.size + this.#handshakes.size;
    const isFull = count >= limits.connections || socket.remoteAddress === undefined;
    this.#path.metrics?.connected(!isFull);
    if (isFull) socket.destroy();
    else if (secure) this.#handshakes.begin(socket);
    else this.#add(new ClientConnection(socket, limits, deadlines, this));
  }

  #secured(client: SecureClient): void {
    const { limits, deadlines } = this.#path;
    this.#path.metrics?.handshake("done");
    // The certificates may have changed since the client's hello.
    if (client.socket.remoteAddress === undefined || isOutdated(client, this.#presents))
      client.socket.destroy();
    else
      this.#add(
        new SecureConnection(client, limits, deadlines, new SecureEvents(this, this.#presents, client)),
      );
  }

  /** Replies like nginx: 400 to a request, nothing to anything else. */
  #plain(socket: Socket, first: Buffer): void {
    const { limits, deadlines } = this.#path;
    const refusing: ConnectionEvents = {
      request: ({ connection }) => connection.refuse(bad("HTTP without TLS on a TLS port")),
      refusal: this.refusal,
      refused: (fault, bytes) => this.refused(fault, bytes),
      closed: () => this.closed(connection),
    };
    const connection = new ClientConnection(socket, limits, deadlines, refusing);
    this.#add(connection);
    connection.received(first, first.length);
  }

  #add(connection: ClientConnection): void {
    connection.stopping = this.#stopping;
    this.#connections.add(connection);
    this.#path.metrics?.connections(this.#connections.size);
  }

  refusal = refusalText;

  /** Counts a request that was rejected before it had a route, and so a log. */
  refused(fault: WireFault, bytes: number): void {
    this.#path.metrics?.refused(fault.status, bytes);
  }

  closed(connection: ClientConnection): void {
    this.#connections.delete(connection);
    this.#path.metrics?.connections(this.#connections.size);
  }

  request(inbound: InboundRequest): void {
    const { admission } = this.#path;
    const fault = applyAdmission(inbound.head, inbound.connection.remoteAddr, admission);
    if (fault !== undefined) {
      inbound.connection.refuse(fault);
      return;
    }
    const generation = this.#options.generation();
    const x = beginExchange(inbound, generation, admission.pathRules);
    if (x instanceof PathFault) {
      inbound.connection.refuse(bad(`the path of the target: ${x.reason}`));
      return;
    }
    x.budget = this.#path;
    this.#path.counters.requests++;
    this.#path.counters.inFlight++;
    this.#path.metrics?.started(this.#path.counters.inFlight);
    this.#options.onRequestStart?.(generation);
    this.#route(x, isTrace(x.method) && admission.allowTrace !== true);
  }

  #route(x: GatewayExchange, refused: boolean): void {
    try {
      const status = refused ? 405 : matchRoute(x);
      const begin = this.#options.tracer?.begin;
      if (begin !== undefined) begin(x);
      if (mustAcknowledge(x)) x.inbound.gate = new ResponseAckGate(x, this.#path, this.#finished);
      if (status !== undefined) {
        this.#localReply(x, status);
        return;
      }
      const pending = requestPhases(x);
      if (pending === undefined) this.#afterPhases(x);
      else
        pending.then(
          () => this.#afterPhases(x),
          (error: unknown) => this.#failed(x, error),
        );
    } catch (error) {
      this.#failed(x, error);
    }
  }

  #afterPhases(x: GatewayExchange): void {
    if (x.inbound.finished) {
      // The client disconnected during an access phase.
      x.response.status = abortedStatus(x);
      this.#finished(x);
    } else if (x.answered) this.#localReply(x);
    else {
      const leads = selectUpstream(x, this.#path.admission.pathRules);
      if (typeof leads === "number") this.#localReply(x, leads);
      else new ProxyExchange(x, this.#path, leads, this.#finished).start();
    }
  }

  #localReply(x: GatewayExchange, status?: number): void {
    if (status !== undefined) failWith(x, status);
    sendLocalReply(x, this.#path);
    this.#finished(x);
  }

  #failed(x: GatewayExchange, error: unknown): void {
    this.#path.moduleFailed(x, error);
    this.#localReply(x, 500);
  }

  /** Finishes an exchange whose response is complete or aborted, unless its last byte is delayed. */
  readonly #finished = (x: GatewayExchange): void => {
    if (x.finished || x.inbound.held) return;
    x.finished = true;
    if (x.inbound.gate !== undefined) acknowledge(x, this.#path);
    x.endedAt = Date.now();
    if (x.inbound.bodyFollows) x.inbound.onBodyOver = () => this.#log(x);
    else this.#log(x);
  };

  /** Logs once the request has ended as well, so that records are complete. */
  #log(x: GatewayExchange): void {
    closingPhases(x, "log", this.#path);
    x.bufferedRequest?.drop();
    x.requestCapture?.release();
    x.responseCapture?.release();
    const inFlight = --this.#path.counters.inFlight;
    this.#path.metrics?.finished(x, inFlight);
    const { unsent } = x;
    if (unsent !== undefined) x.inbound.connection.output.onceIdle(() => unsent.release());
    const write = this.#options.accessLog?.write;
    if (write !== undefined) write(x);
    this.#options.onRequestEnd?.(x.generation);
  }

  /** Stops accepting; connections stay. */
  async stopAccepting(): Promise<void> {
    this.#listeners.close();
  }

  /**
   * Drains: finishes requests in flight, tells busy clients to close, closes idle connections, and cuts the
   * rest after `deadlineMs`.
   */
  async close(deadlineMs: number): Promise<void> {
    const start = performance.now();
    this.#stopping = true;
    await this.stopAccepting();
    // A request that arrives while its idle connection closes would be lost, so busy clients learn of it first.
    for (const connection of this.#connections) connection.stopping = true;
    await this.#closedBy(start + Math.min(FAREWELL_MS, deadlineMs / 4));
    await socketsRead();
    for (const connection of this.#connections) connection.stop();
    await this.#closedBy(start + deadlineMs);
    this.#handshakes.close();
    for (const connection of this.#connections) connection.destroy();
    this.#path.close();
    this.#path.deadlines.close();
  }

  async #closedBy(deadline: number): Promise<void> {
    while (this.#connections.size + this.#handshakes.size > 0 && performance.now() < deadline) {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  }

  stats(): WorkerContext["counters"] & { connections: number; bufferedBytes: number } {
    const { counters, bufferedBytes } = this.#path;
    return { ...counters, connections: this.#connections.size, bufferedBytes };
  }

  /** Applies limits to all connections at once, except min rates, which apply to new connections. */
  limit(limits: Limits): void {
    // All connections share this object.
    Object.assign(this.#path.limits, limits);
  }

  /** Ends TLS connections whose client authentication has changed, after their request or at the deadline. */
  endOutdated(deadlineMs: number): void {
    endOutdatedClients(this.#connections, this.#presents, this.#path.deadlines, deadlineMs);
  }

  /** Closes idle upstream connections that no generation uses. */
  keepOnly(poolKeys: ReadonlySet<string>): void {
    this.#path.keepOnly(poolKeys);
  }
}
