import { setImmediate as nextTurn } from "node:timers/promises";
import { connectTurn } from "../connect-gate.js";
import type { StreamDestination } from "../logger-settings.js";
import { Connection, type TlsMemory } from "./connection.js";

/** Writes all texts of one batch, in order, to one connection. */
export interface Delivery {
  /** It knows what arrived, so that a part of a batch can count as delivered. */
  readonly confirms: boolean;
  /** Milliseconds that every batch has. */
  readonly leastMs: number;
  /**
   * @param deadlineMs milliseconds that it may take
   * @returns milliseconds that the server took
   * @throws when it is not known that all of it arrived; whatever was written may have, so the whole of it is written again
   */
  deliver(texts: Iterable<string>, deadlineMs: number): Promise<number>;
  close(): void | Promise<void>;
}

/** Milliseconds in which a server may read what the kernel has of a connection that is closed. */
const FAREWELL_MS = 500;

/** Told when a connection failed while it was idle. A reset then means that the server has not read all that was written. */
export type OnIdleFailure = (error: Error) => void;

/**
 * `delivery: memory`: up to `pool_size` connections, opened when they are needed and kept. A batch counts as delivered
 * when the kernel has taken its last byte and the connection still stands one turn of the event loop later.
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
  /** Has connected before. */
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
      // What has arrived meanwhile is read first: the end of a connection that the server closed while it was idle.
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
   * Our end is closed first, and the connection when the server has closed its own: a server that writes to one that is gone
   * (a session ticket of TLS) is reset, and forgets what it has not read.
   */
  async close(): Promise<void> {
    this.#closed = true;
    const idle = this.#idle.splice(0);
    for (const connection of this.#all) if (!idle.includes(connection)) connection.destroy();
    await Promise.all(idle.map((connection) => connection.finish(FAREWELL_MS).catch(() => {})));
    for (const connection of idle) connection.destroy();
  }

  /** Waits until fewer batches than `pool_size` are under way. */
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
