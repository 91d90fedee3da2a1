import { readFile } from "node:fs/promises";
import { setTimeout as pause } from "node:timers/promises";
import { connectTurn } from "../connect-gate.js";
import type { StreamDestination } from "../logger-settings.js";
import { Connection, type TlsMemory } from "./connection.js";
import { TooSlowError } from "./send-rate.js";
import type { Delivery } from "./stream-pool.js";

const TABLES = ["/proc/net/tcp", "/proc/net/tcp6"];
const POLL_MS = 20;

/**
 * Waits until the peer's kernel has acknowledged every byte of the connection with this local port: its line
 * in /proc/net/tcp has an empty tx_queue, or is gone. Without such a file nothing can be known.
 * @returns false after `limitMs`; true if acknowledged or unknown
 */
async function isAcknowledged(localPort: number, limitMs: number): Promise<boolean> {
  for (const end = performance.now() + limitMs; ; ) {
    if ((await unacknowledged(localPort)) === 0) return true;
    if (performance.now() > end) return false;
    await pause(POLL_MS);
  }
}

/** Returns the bytes that the kernel has buffered for the connection, sent or not. */
async function unacknowledged(localPort: number): Promise<number> {
  // "  12: 0100007F:B2C4 0100007F:0202 01 0000A4F0:00000000 …": local address, remote address, state,
  // tx_queue:rx_queue.
  const line = new RegExp(`: [0-9A-F]+:${hexPort(localPort)} [0-9A-F]+:[0-9A-F]+ [0-9A-F]{2} ([0-9A-F]{8}):`);
  for (const table of TABLES) {
    const found = line.exec(await readFile(table, "latin1").catch(() => ""));
    if (found !== null) return Number.parseInt(found[1] ?? "0", 16);
  }
  return 0;
}

const hexPort = (port: number) => port.toString(16).toUpperCase().padStart(4, "0");

/** Hold time in ms after the server has read a batch: if killed, it loses what it has not stored and disconnects. */
const HOLD_MS = 100;
/** Minimum time for a server to read one batch, as a multiple of the timeout. */
const READING_FACTOR = 10;
const MAX_READING_MS = 600_000;

/**
 * Delivery for `delivery: durable`, with one connection for each batch. Plain syslog acknowledges nothing, so
 * a batch counts as delivered only after three signs:
 *
 * 1. The server closes its end of the connection after ours, which follows the last byte. It does so once
 *    it has read up to our end; a server that dies with unread bytes sends a reset instead.
 * 2. A second connection, the witness, stays open during the whole batch. It carries nothing and was
 *    accepted before the batch. It breaks if the server is stopped or killed, which closes the first
 *    connection too.
 * 3. The witness is still open `HOLD_MS` later.
 *
 * These signs cannot show that a server keeps what it has read in memory for longer than `HOLD_MS`. README.md
 * tells how to set up rsyslog and syslog-ng so that they do not.
 */
export class ConfirmedDelivery implements Delivery {
  readonly confirms = true;
  readonly #destination: StreamDestination;
  readonly #memory: TlsMemory = {};
  readonly #open = new Set<Connection>();
  readonly #silent: () => void;
  #witness: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  /** Behaviour of the server with connections that we have ended. */
  #closes: "unknown" | "yes" | "no" = "unknown";
  #closed = false;
  /** Set after the first attempt to connect. */
  #begun = false;

  /** @param silent called once if the server does not close connections that we have ended, so that it confirms nothing */
  constructor(destination: StreamDestination, silent: () => void) {
    this.#destination = destination;
    this.#silent = silent;
  }

  get leastMs(): number {
    const { timeoutMs } = this.#destination;
    return Math.max(timeoutMs, Math.min(timeoutMs * READING_FACTOR, MAX_READING_MS));
  }

  async deliver(texts: Iterable<string>, deadlineMs: number): Promise<number> {
    if (!this.#begun) await connectTurn();
    this.#begun = true;
    const witness = await this.#standingWitness();
    const connection = await this.#connect();
    const started = performance.now();
    let took: number;
    try {
      for (const text of texts) await connection.write(text, deadlineMs / READING_FACTOR);
      const outcome = await connection.finish(this.#closes === "no" ? HOLD_MS : deadlineMs);
      if (outcome === "read") this.#closes = "yes";
      else await this.#unconfirmed(connection, deadlineMs);
      took = performance.now() - started;
    } finally {
      connection.destroy();
      this.#open.delete(connection);
    }
    await standing(witness, HOLD_MS);
    return took;
  }

  close(): void {
    this.#closed = true;
    for (const connection of this.#open) connection.destroy();
  }

  /**
   * A server that has closed connections before is stuck. One that never has may not do so at all: once its
   * kernel has acknowledged every byte, a retry would only multiply the messages.
   */
  async #unconfirmed(connection: Connection, deadlineMs: number): Promise<void> {
    const { timeoutMs } = this.#destination;
    if (this.#closes !== "yes" && (await isAcknowledged(connection.localPort, timeoutMs))) {
      if (this.#closes === "unknown") this.#silent();
      this.#closes = "no";
      return;
    }
    throw new TooSlowError(`the server has not read the batch within ${Math.round(deadlineMs)} ms`);
  }

  /** Returns the open witness. Two concurrent batches share it, and its opening. */
  async #standingWitness(): Promise<Connection> {
    if (this.#witness?.usable) return this.#witness;
    this.#opening ??= this.#connect().finally(() => {
      this.#opening = undefined;
    });
    const witness = await this.#opening;
    this.#witness = witness;
    witness.onBroken(() => {
      witness.destroy();
      this.#open.delete(witness);
    });
    return witness;
  }

  async #connect(): Promise<Connection> {
    const connection = await Connection.open(this.#destination, this.#memory);
    if (this.#closed) connection.destroy();
    this.#open.add(connection);
    return connection;
  }
}

/** Resolves when the connection has stayed open for `ms`. @throws if it breaks */
function standing(connection: Connection, ms: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const broken = () => {
      clearTimeout(timer);
      reject(new Error("the server closed its connections just after the batch"));
    };
    const timer = setTimeout(() => {
      stop();
      resolve();
    }, ms);
    const stop = connection.onBroken(broken);
    if (!connection.usable) broken();
  });
}
