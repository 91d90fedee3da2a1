import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { peerAddress } from "../abi/text/addresses.js";
import { ConnectionShares, type Sharing } from "../process/connection-shares.js";

/** Timeout in ms for a head, from the connection or the end of the previous response. */
const HEAD_MS = 10_000;
/** Timeout in ms from the end of the head to the end of the body: 16 MB at 2 Mbit/s. */
const REQUEST_MS = 70_000;
const IDLE_MS = 15_000;
/** Timeout in ms for a client to receive a complete response. */
const RESPONSE_MS = 60_000;
const LOOK_MS = 1_000;
/** Minimum number of connections for one address, whose share is a quarter of the limit. */
const MIN_SHARE = 16;

class Client implements Sharing {
  readonly remoteAddr: string;
  readonly #socket: Socket;
  #response: ServerResponse | undefined = undefined;
  #request: IncomingMessage | undefined = undefined;
  #writtenAt = 0;
  /** Requests received before the current response ends. */
  readonly #waiting: (() => void)[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    this.remoteAddr = peerAddress(socket.remoteAddress);
  }

  /** A client is idle until its request body is complete, however slowly it arrives. */
  get idle(): boolean {
    return this.#response === undefined || this.#request?.complete !== true;
  }

  /**
   * Serves one request at a time: pipelined requests cost the client nothing, and each may be expensive.
   * @param serve not called if the connection ends first
   */
  serves(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    if (this.#response !== undefined) {
      this.#waiting.push(() => this.serves(request, response, serve));
      // Otherwise everything that the client sends would be buffered.
      this.#socket.pause();
      return;
    }
    this.#request = request;
    this.#response = response;
    this.#writtenAt = 0;
    response.once("close", () => {
      this.#response = undefined;
      if (this.#socket.destroyed) return;
      this.#waiting.shift()?.();
      if (this.#waiting.length === 0) this.#socket.resume();
    });
    serve();
  }

  look(now: number): void {
    if (this.#response?.writableEnded !== true) return;
    if (this.#writtenAt === 0) this.#writtenAt = now;
    else if (now - this.#writtenAt > RESPONSE_MS) this.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** HTTP server of control that resists exhaustion by idle, slow or many connections. */
export interface HardenedServer extends Server {
  limitConnections(connections: number): void;
}

const DEFAULT_CONNECTIONS = 256;

export function hardenedServer(listener: RequestListener): HardenedServer {
  let connections = DEFAULT_CONNECTIONS;
  const perAddress = () => Math.min(connections, Math.max(MIN_SHARE, Math.ceil(connections / 4)));
  const shares = new ConnectionShares<Client>(
    () => ({ connections, perAddress: perAddress() }),
    (client) => client.idle,
  );
  const clients = new WeakMap<Socket, Client>();
  const server = createServer(
    {
      maxHeaderSize: 32 * 1024,
      headersTimeout: HEAD_MS,
      requestTimeout: REQUEST_MS,
      keepAliveTimeout: IDLE_MS,
      connectionsCheckingInterval: LOOK_MS,
    },
    (request, response) => {
      const client = clients.get(request.socket);
      client?.serves(request, response, () => {
        shares.used(client);
        listener(request, response);
      });
    },
  );
  server.on("connection", (socket: Socket) => {
    const client = new Client(socket);
    if (socket.remoteAddress === undefined || !shares.admit(client)) {
      socket.destroy();
      return;
    }
    clients.set(socket, client);
    socket.once("close", () => shares.remove(client));
  });
  const timer = setInterval(() => {
    for (const client of shares) client.look(performance.now());
  }, LOOK_MS);
  timer.unref();
  server.once("close", () => clearInterval(timer));
  return Object.assign(server, {
    limitConnections(to: number) {
      connections = to;
    },
  });
}
