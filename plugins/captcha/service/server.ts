import type { AddressInfo, Socket } from "node:net";
import {
  ClientConnection,
  type ConnectionEvents,
  ConnectionShares,
  clientAddress,
  DEFAULT_LIMITS,
  Deadlines,
  type InboundRequest,
  type Limits,
  type Listener,
  Listeners,
  type RequestConnection,
  type WireFault,
} from "../../../runtime/process/service-api.js";
import type {
  CaptchaClock,
  CaptchaHandler,
  CaptchaParts,
  CaptchaRequest,
  CaptchaResponse,
  ClientAddress,
  Endpoint,
  LiveConfiguration,
} from "./contract.js";
import { StorageError } from "./contract.js";
import { blockList, NOWHERE, parseAddress } from "./http/address.js";
import { failure } from "./http/answer.js";
import { MAX_BODY_BYTES, refusal, send, wholeBody } from "./http/exchange.js";

export interface CaptchaServerOptions {
  endpoints: readonly Endpoint[];
  configuration: () => Pick<LiveConfiguration, "settings">;
  clock: CaptchaClock;
  report: CaptchaParts["report"];
  limits?: Partial<Limits>;
}

/** Reference 5.4 step 1; a token has at most 2048. */
const MAX_URL_BYTES = 4_096;

/** A little above those of responses in the path's format: only garbage gets the wire's bare responses. */
const LIMITS: Limits = {
  ...DEFAULT_LIMITS,
  targetBytes: 8_192,
  headerBytes: 16_384,
  headerCount: 128,
  bodyBytes: 4 * MAX_BODY_BYTES,
  bodyTimeout: 10_000,
  idleTimeout: 15_000,
};
/** An office behind one address has some hundred visitors, each with one or two connections. */
const PER_ADDRESS = 512;

/** Whole small requests and responses. Paths are used as received, without decoding. */
export class CaptchaServer implements ConnectionEvents {
  readonly #options: CaptchaServerOptions;
  readonly #limits: Limits;
  readonly #deadlines = new Deadlines();
  readonly #connections: ConnectionShares<RequestConnection>;
  readonly #listeners = new Listeners();
  readonly #isTrusted = blockList();
  #stopping = false;

  constructor(options: CaptchaServerOptions) {
    this.#options = options;
    this.#limits = { ...LIMITS, ...options.limits };
    const { connections } = this.#limits;
    // A connection that drips its head or body has no request yet, and one that drips after its response never will.
    this.#connections = new ConnectionShares(
      () => ({ connections, perAddress: Math.min(PER_ADDRESS, connections) }),
      ({ current }) => current?.bodyDone !== true,
    );
  }

  get connections(): number {
    return this.#connections.size;
  }

  /** May be called for several listeners. */
  accept(listener: Listener): Promise<AddressInfo> {
    return this.#listeners.listen(listener, (socket) => this.#connected(socket));
  }

  #connected(socket: Socket): void {
    if (socket.remoteAddress === undefined) {
      socket.destroy();
      return;
    }
    const connection = new ClientConnection(socket, this.#limits, this.#deadlines, this);
    connection.stopping = this.#stopping;
    const { trustedAddresses } = this.#options.configuration().settings;
    // A gateway or balancer in front has the visitors of all addresses.
    const shared = !this.#isTrusted(trustedAddresses, connection.remoteAddr);
    if (!this.#connections.admit(connection, shared)) connection.destroy();
  }

  refusal = (fault: WireFault, bodiless: boolean): string =>
    refusal(fault, bodiless, this.#options.clock.now());

  refused(): void {}

  closed(connection: ClientConnection): void {
    this.#connections.remove(connection);
  }

  request(inbound: InboundRequest): void {
    this.#connections.used(inbound.connection);
    const { target } = inbound.head;
    const mark = target.indexOf("?");
    const path = mark < 0 ? target : target.slice(0, mark);
    if (target.length > MAX_URL_BYTES) {
      this.#send(inbound, failure(path, 414));
      return;
    }
    const handler = this.#handlerOf(path);
    if (handler === null) {
      this.#send(inbound, failure(path, 404));
      return;
    }
    wholeBody(inbound, (body) => {
      if (body === undefined) this.#send(inbound, failure(path, 413));
      else void this.#answer(inbound, handler, path, mark < 0 ? "" : target.slice(mark + 1), body);
    });
  }

  #handlerOf(path: string): CaptchaHandler | null {
    for (const endpoint of this.#options.endpoints) {
      const handler = endpoint(path);
      if (handler !== null) return handler;
    }
    return null;
  }

  async #answer(
    inbound: InboundRequest,
    handler: CaptchaHandler,
    path: string,
    query: string,
    body: Buffer,
  ): Promise<void> {
    const { method, headers } = inbound.head;
    const request: CaptchaRequest = { method, path, query, headers, body, client: this.#client(inbound) };
    try {
      this.#send(inbound, await handler(request));
    } catch (error) {
      this.#failed(inbound, path, error);
    }
  }

  #client(inbound: InboundRequest): ClientAddress {
    const { head, connection } = inbound;
    const { trustedAddresses, realIpHeader } = this.#options.configuration().settings;
    const trusts = (address: string) => this.#isTrusted(trustedAddresses, address);
    const peer = connection.remoteAddr;
    return (
      parseAddress(
        head.hasForwardingHeader ? clientAddress(peer, head.headers, { trusts, realIpHeader }) : peer,
      ) ?? NOWHERE
    );
  }

  /** Reports kind and position only: messages of errors may repeat input. */
  #failed(inbound: InboundRequest, path: string, error: unknown): void {
    const storage = error instanceof StorageError;
    const place = error instanceof Error ? error.stack?.match(/\n\s+at (.*)/)?.[1] : undefined;
    const kind = error instanceof Error ? error.name : typeof error;
    if (!storage) this.#options.report("captcha_handler_failed", { kind, at: place });
    this.#send(inbound, failure(path, storage ? 503 : 500));
  }

  #send(inbound: InboundRequest, answer: CaptchaResponse): void {
    send(inbound, answer, this.#options.clock.now());
  }

  /** Drains requests in flight, and aborts the rest after `deadlineMs`. */
  async close(deadlineMs: number): Promise<void> {
    const end = performance.now() + deadlineMs;
    this.#stopping = true;
    this.#listeners.close();
    for (const connection of this.#connections) connection.stop();
    while (this.#connections.size > 0 && performance.now() < end)
      await new Promise((resolve) => setTimeout(resolve, 10));
    for (const connection of this.#connections) connection.destroy();
    this.#deadlines.close();
  }
}
