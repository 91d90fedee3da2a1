import type { Socket } from "node:net";

/** JSON objects, one a line, over a stream. Any other data ends the connection: both ends are ours. */
export class LineChannel<In, Out> {
  #rest = "";
  readonly #socket: Socket;

  constructor(socket: Socket, hear: (message: In) => void, closed: () => void) {
    this.#socket = socket;
    socket.setEncoding("utf8");
    socket.on("data", (chunk: string) => this.#consume(chunk, hear));
    socket.on("error", () => {});
    socket.once("close", closed);
  }

  /** @returns false if the other end is gone */
  send(message: Out): boolean {
    if (!this.#socket.writable) return false;
    this.#socket.write(`${JSON.stringify(message)}\n`);
    return true;
  }

  /** Sends queued messages, then closes. */
  end(): void {
    this.#socket.end();
  }

  #consume(chunk: string, hear: (message: In) => void): void {
    const lines = (this.#rest + chunk).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      let message: In;
      try {
        message = JSON.parse(line) as In;
      } catch {
        this.#socket.destroy();
        return;
      }
      hear(message);
    }
  }
}
