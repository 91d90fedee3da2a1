import { connect, type Socket } from "node:net";
import type { ToControl, ToWorker } from "./messages.js";

const RETRY_MS = 50;

export interface ControlLink<Out = ToControl> {
  /** @returns false while there is no control */
  send(message: Out): boolean;
  close(): void;
}

/**
 * A killed control is no reason to stop serving: its successor receives `hello` and adopts the worker.
 * @param away called whenever there is no control
 */
export function linkToControl<In = ToWorker, Out = ToControl>(
  socketPath: string,
  hello: () => Out,
  hear: (message: In, send: (message: Out) => void) => void,
  away: () => void = () => {},
): ControlLink<Out> {
  let channel: LineChannel<In, Out> | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;
  const open = () => {
    const socket = connect(socketPath, () => own.send(hello()));
    const own = new LineChannel<In, Out>(
      socket,
      (message) => hear(message, (answer) => own.send(answer)),
      () => {
        channel = undefined;
        if (closed) return;
        timer = setTimeout(open, RETRY_MS);
        away();
      },
    );
    channel = own;
  };
  open();
  return {
    send: (message) => channel?.send(message) ?? false,
    close() {
      closed = true;
      clearTimeout(timer);
      channel?.end();
    },
  };
}

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
