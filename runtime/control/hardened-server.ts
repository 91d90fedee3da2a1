import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from "node:http";
import type { Socket } from "node:net";
import { peerAddress } from "../abi/text/ip-address.js";
import { ConnectionShares, type Sharing } from "../process/connection-shares.js";

/** From the connection, or the end of the response before, to the end of a head. */
const HEAD_MS = 10_000;
/** From there to the end of the body: 16 MB at 2 Mbit/s. */
const REQUEST_MS = 70_000;
const IDLE_MS = 15_000;
/** For a client to take a response that is written. */
const RESPONSE_MS = 60_000;
const LOOK_MS = 1_000;
/** An address has a quarter of all places, and this many where there are so many. */
const MIN_SHARE = 16;

/** One client of a listener. */
class Client implements Sharing {
  readonly remoteAddr: string;
  readonly #socket: Socket;
  #response: ServerResponse | undefined = undefined;
  #request: IncomingMessage | undefined = undefined;
  #writtenAt = 0;
  /** Sent before the answer to the one under way. */
  readonly #waiting: (() => void)[] = [];

  constructor(socket: Socket) {
    this.#socket = socket;
    this.remoteAddr = peerAddress(socket.remoteAddress);
  }

  /** A body that drips in is nothing that has been asked for yet. */
  get idle(): boolean {
    return this.#response === undefined || this.#request?.complete !== true;
  }

  /**
   * One request after another: those that a client sends without waiting for answers cost it nothing, and each of them may cost much.
   * @param serve is not called for one whose connection ends before
   */
  serves(request: IncomingMessage, response: ServerResponse, serve: () => void): void {
    if (this.#response !== undefined) {
      this.#waiting.push(() => this.serves(request, response, serve));
      // Otherwise all that it sends would be read and kept.
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

  /** Ends a client that does not take its response. */
  look(now: number): void {
    if (this.#response?.writableEnded !== true) return;
    if (this.#writtenAt === 0) this.#writtenAt = now;
    else if (now - this.#writtenAt > RESPONSE_MS) this.destroy();
  }

  destroy(): void {
    this.#socket.destroy();
  }
}

/** An HTTP server of control that idle, slow and many connections do not exhaust. */
export interface HardenedServer extends Server {
  /** Connections in all, from now on. */
  limitConnections(connections: number): void;
}

const DEFAULT_CONNECTIONS = 256;

/** For the admin API, the status and the metrics. */
export function ownServer(listener: RequestListener): HardenedServer {
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
