import { once } from "node:events";
import { type AddressInfo, createServer, type Server, type Socket } from "node:net";

/** A syslog server on tcp that notes which records came and how often, and can be killed and started again. */
export class RecordReceiver {
  /** How often each record came, by `record_id`. */
  readonly copies = new Map<string, number>();
  /** `record_id`s by the path of the request. */
  readonly byPath = new Map<string, Set<string>>();
  port = 0;
  #server: Server | undefined = undefined;
  readonly #sockets = new Set<Socket>();

  async start(): Promise<void> {
    const server = createServer((socket) => this.#take(socket));
    server.listen(this.port, "127.0.0.1");
    await once(server, "listening");
    this.port = (server.address() as AddressInfo).port;
    this.#server = server;
  }

  /** Breaks all connections, as the end of a process does. */
  async kill(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    for (const socket of this.#sockets) socket.resetAndDestroy();
    if (server === undefined) return;
    server.close();
    await once(server, "close");
  }

  get isUp(): boolean {
    return this.#server !== undefined;
  }

  /** Copies beyond the first. */
  get duplicates(): number {
    let count = 0;
    for (const copies of this.copies.values()) count += copies - 1;
    return count;
  }

  #take(socket: Socket): void {
    this.#sockets.add(socket);
    let rest = "";
    socket.setEncoding("latin1").on("data", (text: string) => {
      const lines = (rest + text).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) this.#note(line);
    });
    socket.on("error", () => {});
    socket.on("close", () => this.#sockets.delete(socket));
  }

  #note(line: string): void {
    const { record_id: id, path } = JSON.parse(line.slice(line.indexOf("{"))) as Record<string, string>;
    if (id === undefined || path === undefined) throw new Error(`not a record: ${line.slice(0, 200)}`);
    this.copies.set(id, (this.copies.get(id) ?? 0) + 1);
    const ids = this.byPath.get(path) ?? new Set<string>();
    this.byPath.set(path, ids.add(id));
  }
}
