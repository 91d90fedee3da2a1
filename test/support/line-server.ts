import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";
import { PATIENCE_MS } from "./patience.js";

/** A listener that stores every received line: a sufficient syslog server for tests of other subjects. */
export class LineServer {
  readonly lines: string[] = [];
  readonly port: number;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  #heard: () => void = () => {};

  private constructor(server: Server, sockets: Set<Socket>) {
    this.#server = server;
    this.#sockets = sockets;
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(port = 0): Promise<LineServer> {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => {
      sockets.add(socket);
      let rest = "";
      socket.setEncoding("utf8").on("data", (text: string) => {
        const lines = (rest + text).split("\n");
        rest = lines.pop() ?? "";
        made.lines.push(...lines);
        made.#heard();
      });
      socket.on("error", () => {});
    });
    server.listen(port, "127.0.0.1");
    await once(server, "listening");
    const made = new LineServer(server, sockets);
    return made;
  }

  /**
   * Waits for `count` lines from index `from` on.
   * @returns the JSON at the end of each
   * @throws after PATIENCE_MS
   */
  async records(count: number, from = 0): Promise<Record<string, unknown>[]> {
    const end = Date.now() + PATIENCE_MS;
    while (this.lines.length < from + count) {
      if (Date.now() > end) throw new Error(`${this.lines.length - from} of ${count} records came`);
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, 100);
        this.#heard = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
    return this.lines.slice(from).map((line) => JSON.parse(line.slice(line.indexOf("{"))) as never);
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, "close");
  }
}
