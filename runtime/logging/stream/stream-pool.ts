import { setImmediate as nextTurn } from "node:timers/promises";
import { connectTurn } from "../connect-gate.js";
import type { StreamDestination } from "../logger-settings.js";
import { Connection, type TlsMemory } from "./connection.js";

export interface Delivery {
  /** Set if it knows what arrived, so that a part of a batch can count as delivered. */
  readonly confirms: boolean;
  /** Minimum timeout of a batch in ms. */
  readonly leastMs: number;
  /**
   * @returns the time in ms that the server took
   * @throws if it is unknown whether everything arrived; then the whole batch is written again
   */
  deliver(texts: Iterable<string>, deadlineMs: number): Promise<number>;
  close(): void | Promise<void>;
}

/** Time in ms for a server to read the kernel's buffer of a closing connection. */
const FAREWELL_MS = 500;

/** Called if an idle connection fails. A reset then means that the server has not read everything written. */
export type OnIdleFailure = (error: Error) => void;

/**
 * For `delivery: memory`. Connections open on demand and stay open. A batch counts as delivered if its
 * connection is open one turn of the event loop after the kernel took the last byte.
 */
export class StreamPool implements Delivery {
  readonly confirms = false;
  readonly #destination: StreamDestination;
  readonly #onIdleFailure: OnIdleFailure;
  readonly #memory: TlsMemory = {};
  readonly #idle: Connection[] = [];
  readonly #all = new Set<Connection>();
  readonly #waiting: (() => void)[] = [];
  #taken = 0;
  /** Set after the first attempt to connect. */
  #begun = false;
  #closed = false;

  constructor(destination: StreamDestination, onIdleFailure: OnIdleFailure) {
    this.#destination = destination;
    this.#onIdleFailure = onIdleFailure;
  }

  get leastMs(): number {
    return this.#destination.timeoutMs;
  }

  async deliver(texts: Iterable<string>, deadlineMs: number): Promise<number> {
    await this.#place();
    try {
      // Lets pending events come first: the server may have closed the connection while it was idle.
      await nextTurn();
      const connection = await this.#connection();
      const started = performance.now();
      try {
        for (const text of texts) await connection.write(text, deadlineMs);
        await nextTurn();
        if (!connection.usable) throw new Error("the server closed the connection");
        this.#idle.push(connection);
        return performance.now() - started;
      } catch (error) {
        connection.destroy();
        throw error;
      }
    } finally {
      this.#taken--;
      this.#waiting.shift()?.();
    }
  }

  /**
   * Closes our end first, and the connection once the server has closed its own. A server that writes to a
   * closed connection (a session ticket of TLS) is reset, and loses what it has not read.
   */
  async close(): Promise<void> {
    this.#closed = true;
    const idle = this.#idle.splice(0);
    for (const connection of this.#all) if (!idle.includes(connection)) connection.destroy();
    await Promise.all(idle.map((connection) => connection.finish(FAREWELL_MS).catch(() => {})));
    for (const connection of idle) connection.destroy();
  }

  async #place(): Promise<void> {
    while (this.#taken >= this.#destination.poolSize)
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    this.#taken++;
  }

  async #connection(): Promise<Connection> {
    for (let kept = this.#idle.pop(); kept !== undefined; kept = this.#idle.pop()) {
      if (kept.usable) return kept;
      kept.destroy();
    }
    if (!this.#begun) await connectTurn();
    this.#begun = true;
    const opened = await Connection.open(this.#destination, this.#memory);
    if (this.#closed) opened.destroy();
    this.#all.add(opened);
    opened.onBroken(() => {
      this.#all.delete(opened);
      const at = this.#idle.indexOf(opened);
      if (at >= 0) {
        this.#idle.splice(at, 1);
        if (opened.failure !== undefined && !this.#closed) this.#onIdleFailure(opened.failure);
      }
      opened.destroy();
    });
    return opened;
  }
}
