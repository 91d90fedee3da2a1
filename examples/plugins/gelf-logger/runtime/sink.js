import { connect } from "node:net";
import { SendError } from "gwc/logger/runtime";

/** Byte between two GELF messages of a connection. */
const END = "\0";

/** Sends batches on one connection, which a failed batch closes and the next one opens again. */
export class GelfSink {
  #settings;
  #report;
  #socket;

  constructor(settings, { report }) {
    this.#settings = settings;
    this.#report = report;
  }

  /** @throws SendError if the server may not have the batch */
  async send(entries) {
    try {
      this.#socket ??= await this.#open();
      await this.#write(this.#socket, entries.map(({ payload }) => payload + END).join(""));
    } catch (error) {
      this.#socket?.destroy();
      this.#socket = undefined;
      throw new SendError(error.message, 0, [], { cause: error });
    }
  }

  async close() {
    this.#socket?.end();
    this.#socket = undefined;
  }

  #open() {
    const { host, port, timeoutMs } = this.#settings;
    return new Promise((resolve, reject) => {
      const socket = connect({ host, port, timeout: timeoutMs });
      const failed = (error) => {
        socket.destroy();
        reject(error);
      };
      socket.once("error", failed);
      socket.once("timeout", () => failed(new Error(`no connection within ${timeoutMs} ms`)));
      socket.once("connect", () => {
        socket.setTimeout(0);
        socket.off("error", failed);
        socket.on("error", (error) => this.#lost(socket, error));
        socket.on("close", () => this.#lost(socket));
        resolve(socket);
      });
    });
  }

  /** Forgets a connection that ended between two batches. */
  #lost(socket, error) {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    if (error !== undefined) this.#report("gelf_connection_lost", { reason: error.message });
  }

  #write(socket, text) {
    return new Promise((resolve, reject) => {
      socket.once("error", reject);
      socket.write(text, "latin1", (error) => {
        socket.off("error", reject);
        if (error) reject(error);
        else resolve();
      });
    });
  }
}
