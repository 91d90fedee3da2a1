import { connect, type Socket } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { readMessage, type WireMessage } from "../../runtime/control/in-process/wire-message.js";
import { PATIENCE_MS } from "./patience.js";
import { connectSecurely, OVER_TLS } from "./secure-peer.js";

export interface RawResponse extends WireMessage {
  status: number;
  /** 1xx responses before the final one. */
  interim: WireMessage[];
  /** Bytes after the end of the response, without a request. */
  stray: string;
  /** The gateway ended the connection. */
  closed: boolean;
  /** Port of the client's end. */
  clientPort: number;
}

/** A bare connection: sends bytes, reads responses. */
export class RawClient {
  readonly socket: Socket;
  #received = "";
  #ended = false;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.setNoDelay(true);
    socket.on("data", (bytes: Buffer) => {
      this.#received += bytes.toString("latin1");
      this.#wake();
    });
    socket.on("end", () => this.#finish(undefined));
    socket.on("error", (error) => this.#finish(error));
    socket.on("close", () => this.#finish(undefined));
  }

  /** @param from local address, such as 127.0.0.2 */
  static async open(port: number, from = "127.0.0.1", secure = OVER_TLS): Promise<RawClient> {
    const socket = connect({ host: "127.0.0.1", port, localAddress: from, allowHalfOpen: true });
    await new Promise<void>((resolve, reject) => {
      socket.once("connect", resolve);
      socket.once("error", reject);
    });
    return new RawClient(secure ? await connectSecurely(socket) : socket);
  }

  #finish(error: Error | undefined): void {
    this.#ended = true;
    this.#failure ??= error;
    this.#wake();
  }

  /** Sends byte strings, each in a separate write. */
  async send(...parts: string[]): Promise<void> {
    for (const part of parts) {
      await new Promise<void>((resolve) => this.socket.write(part, "latin1", () => resolve()));
      if (parts.length > 1) await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /**
   * Waits for the next response.
   * @param method decides whether a body follows; `settle` is a wait in ms for stray bytes, `end` a wait for
   * the end of the connection
   * @throws Error if none came within `timeout` ms, or the connection ended before its end
   */
  async response(
    method: string,
    { timeout = PATIENCE_MS, settle = 0, end = false } = {},
  ): Promise<RawResponse> {
    const deadline = Date.now() + timeout;
    const interim: WireMessage[] = [];
    for (;;) {
      const read = this.#read(method);
      if (read !== undefined) {
        this.#received = this.#received.slice(read.length);
        const status = Number(read.message.startLine.split(" ")[1]);
        if (status < 200 && status !== 101) {
          interim.push(read.message);
          continue;
        }
        if (settle > 0) await wait(settle);
        while (end && !this.#ended) {
          if (Date.now() > deadline) throw new Error(`the connection is open after ${timeout} ms`);
          await this.#more(deadline - Date.now());
        }
        const clientPort = this.socket.localPort ?? 0;
        return { ...read.message, status, interim, stray: this.#received, closed: this.#ended, clientPort };
      }
      if (this.#ended)
        throw new Error(`the connection ended early: ${this.#state()}`, { cause: this.#failure });
      if (Date.now() > deadline) throw new Error(`no whole response in ${timeout} ms: ${this.#state()}`);
      await this.#more(deadline - Date.now());
    }
  }

  #read(method: string) {
    return readMessage(this.#received, {
      bodiless: ({ startLine }) => method === "HEAD" || /^HTTP\/1\.1 (?:1\d\d|204|304) /.test(startLine),
      whenUnframed: "close",
      ended: this.#ended,
    });
  }

  #state = () => JSON.stringify(this.#received.slice(0, 500));

  #more(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, milliseconds + 1);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  close(): void {
    this.socket.destroy();
  }
}
