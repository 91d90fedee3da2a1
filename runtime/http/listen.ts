import type { AddressInfo, Server } from "node:net";

/** Where to listen: a descriptor that is bound already, an address (port 0: any free port), or a server that listens elsewhere. */
export type Listener = { fd: number } | { port: number; host?: string } | { handle: Server };

/** Resolves with the address when `server` listens, on loopback where no host is named. */
export function listenOn(server: Server, listener: Listener): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    // It stays: a later error, such as no descriptor left for accepting, passes by itself and must not end the process.
    server.on("error", reject);
    server.once("listening", () => resolve(server.address() as AddressInfo));
    if ("fd" in listener) server.listen({ fd: listener.fd });
    else if ("handle" in listener) server.listen(listener.handle);
    else server.listen({ port: listener.port, host: listener.host ?? "127.0.0.1", backlog: 4_096 });
  });
}
