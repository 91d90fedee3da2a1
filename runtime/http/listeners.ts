import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** Bound descriptor, address (port 0: any free port), or server that listens already. */
export type Listener = { fd: number } | { port: number; host?: string } | { handle: Server };

export class Listeners {
  readonly #servers = new Set<Server>();

  /** Listens on loopback by default; returns the bound address. */
  listen(listener: Listener, connected: (socket: Socket) => void): Promise<AddressInfo> {
    const server = createServer({ pauseOnConnect: true, allowHalfOpen: true, noDelay: true });
    server.on("connection", connected);
    this.#servers.add(server);
    return new Promise((resolve, reject) => {
      // Stays for later errors: one such as no free descriptor passes by itself and must not end the process.
      server.on("error", reject);
      server.once("listening", () => resolve(server.address() as AddressInfo));
      if ("fd" in listener) server.listen({ fd: listener.fd });
      else if ("handle" in listener) server.listen(listener.handle);
      else server.listen({ port: listener.port, host: listener.host ?? "127.0.0.1", backlog: 4_096 });
    });
  }

  /** Stops listening; open connections stay. */
  close(): void {
    for (const server of this.#servers) server.close();
    this.#servers.clear();
  }
}
