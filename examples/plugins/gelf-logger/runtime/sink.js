import { connect } from "node:net";
import { SendError } from "gwc/logger/runtime";
import { gelfMessage } from "./message.js";

/** Byte between two GELF messages of a connection. */
const END = "\0";

/** Sends batches on one connection, which a failed batch closes and the next one opens again. */
export class GelfSink {
  #settings;
  #report;
  /** From the attempt to connect on, so that `close` ends it in any state. */
  #socket;

  constructor(settings, { report }) {
    this.#settings = settings;
    this.#report = report;
  }

  /** @throws SendError if the server may not have the batch */
  async send(entries) {
    const { source } = this.#settings;
    try {
      const text = entries.map(({ payload }) => gelfMessage(payload, source) + END).join("");
      await this.#write(this.#socket ?? (await this.#open()), text);
    } catch (error) {
      this.#socket?.destroy();
      this.#socket = undefined;
      throw new SendError(error.message, 0, [], { cause: error });
    }
  }

  /** A batch that is being sent fails. */
  async close() {
    this.#socket?.destroy();
    this.#socket = undefined;
  }

  async #open() {
    const { host, port } = this.#settings;
    const socket = connect({ host, port });
    this.#socket = socket;
    await this.#inTime(socket, "no connection", (done) => socket.once("connect", () => done()));
    socket.on("error", (error) => this.#lost(socket, error));
    socket.on("close", () => this.#lost(socket));
    // A server sends nothing; an unread byte would hide the end of the connection.
    socket.resume();
    return socket;
  }

  /** Forgets a connection that ended between two batches. */
  #lost(socket, error) {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    if (error !== undefined) this.#report("gelf_connection_lost", { reason: error.message });
  }

  #write(socket, text) {
    return this.#inTime(socket, "batch not sent", (done) => socket.write(text, "latin1", done));
  }

  /** Waits until `start` calls back. @throws Error if the connection ends before, or at the timeout */
  #inTime(socket, failure, start) {
    const { timeoutMs } = this.#settings;
    return new Promise((resolve, reject) => {
      const finish = (error) => {
        clearTimeout(timer);
        socket.off("error", finish).off("close", closed);
        if (error) reject(error);
        else resolve();
      };
      const closed = () => finish(new Error(`${failure}: the connection is closed`));
      const timer = setTimeout(() => finish(new Error(`${failure} within ${timeoutMs} ms`)), timeoutMs);
      socket.once("error", finish).once("close", closed);
      start(finish);
    });
  }
}
