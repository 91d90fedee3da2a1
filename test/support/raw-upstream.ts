import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { readMessage, type WireMessage } from "../../runtime/control/in-process/wire-message.js";

export interface RawRequest extends WireMessage {
  method: string;
  target: string;
  version: string;
}

/** Response as byte strings, each in a separate write; undefined leaves the request without a response. */
export interface Script {
  writes: string[];
  /** Ends the connection after the last byte. */
  end?: boolean;
}

export type Respond = (request: RawRequest) => Script | undefined;

/** A server that records the bytes that it receives and sends exactly its script. */
export class RawUpstream {
  readonly requests: RawRequest[] = [];
  /** Bytes of each connection, in the order of the connections. */
  readonly received: string[] = [];
  respond: Respond;
  #server: Server | undefined;
  readonly #sockets = new Set<Socket>();
  #port = 0;

  constructor(respond: Respond) {
    this.respond = respond;
  }

  get port(): number {
    return this.#port;
  }

  /** Listens on a free loopback port; after a stop, on the same port. */
  async start(): Promise<this> {
    const server = createServer((socket) => this.#serve(socket));
    this.#server = server;
    await new Promise<void>((resolve, reject) => {
      server.once("error", reject);
      server.listen(this.#port, "127.0.0.1", resolve);
    });
    this.#port = (server.address() as AddressInfo).port;
    return this;
  }

  /** Stops listening and aborts every connection. */
  async stop(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.destroy();
    if (server) await new Promise((resolve) => server.close(resolve));
  }

  #serve(socket: Socket): void {
    this.#sockets.add(socket);
    socket.setNoDelay(true);
    const index = this.received.push("") - 1;
    let pending = "";
    let busy = false;
    const next = async (): Promise<void> => {
      if (busy) return;
      const read = readMessage(pending, { bodiless: () => false, whenUnframed: "none", ended: false });
      if (!read) return;
      busy = true;
      pending = pending.slice(read.length);
      await this.#answer(socket, read.message);
      busy = false;
      await next();
    };
    socket.on("data", (bytes: Buffer) => {
      const text = bytes.toString("latin1");
      this.received[index] += text;
      pending += text;
      void next();
    });
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#sockets.delete(socket));
  }

  async #answer(socket: Socket, message: WireMessage): Promise<void> {
    const [method = "", target = "", version = ""] = message.startLine.split(" ");
    const request = { ...message, method, target, version };
    this.requests.push(request);
    const script = this.respond(request);
    for (const write of script?.writes ?? []) {
      await new Promise<void>((resolve) => socket.write(write, "latin1", () => resolve()));
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (script?.end) socket.end();
  }
}
