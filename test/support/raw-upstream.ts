import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { readMessage, type WireMessage } from "../../runtime/control/in-process/wire-message.js";

export interface RawRequest extends WireMessage {
  method: string;
  target: string;
  version: string;
}

/** What is sent back: byte strings, each as a write of its own; undefined: nothing, the request stays unanswered. */
export interface Script {
  writes: string[];
  /** End the connection behind the last byte. */
  end?: boolean;
}

export type Respond = (request: RawRequest) => Script | undefined;

/** A server that records what it receives and sends exactly what it is told. */
export class RawUpstream {
  readonly requests: RawRequest[] = [];
  /** Every byte of every connection, in the order in which connections came. */
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

  /** Listens on a free loopback port, or again on the port it had. */
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

  /** Stops listening and cuts every connection. */
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
