import { once } from "node:events";
import type { AddressInfo, Server, Socket } from "node:net";

/** A server on a loopback port that can be killed and restarted on the same port. */
export class KillableServer {
  port = 0;
  /** Number of accepted connections. */
  connections = 0;
  readonly #make: () => Server;
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined = undefined;

  /** @param make creates a server that does not listen yet; also one of TLS or HTTP */
  constructor(make: () => Server) {
    this.#make = make;
  }

  get isUp(): boolean {
    return this.#server !== undefined;
  }

  async start(): Promise<void> {
    const server = this.#make();
    server.on("connection", (socket: Socket) => {
      this.connections++;
      this.#sockets.add(socket);
      socket.on("error", () => {});
      socket.on("close", () => this.#sockets.delete(socket));
    });
    server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Resets all connections, as the end of a process does. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    if (server === undefined) return;
    server.close();
    await once(server, "close");
  }
}
