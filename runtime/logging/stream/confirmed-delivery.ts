import { connectTurn } from "../connect-gate.js";
import type { StreamDestination } from "../logger-settings.js";
import { Connection, type TlsMemory } from "./connection.js";
import { TooSlowError } from "./send-rate.js";
import type { Delivery } from "./stream-pool.js";
import { isAcknowledged } from "./tcp-send-queue.js";

/**
 * Time for which a batch that the server has read is still held. A server that is killed takes with it what it has read
 * and not yet stored, and its connections break in the same moment.
 */
const HOLD_MS = 100;
/** How long a server may take to read one batch at least, times the timeout. */
const READING_FACTOR = 10;
const MAX_READING_MS = 600_000;

/**
 * `delivery: durable`: a batch has a connection of its own. Plain syslog acknowledges nothing, so three signs must come
 * together before a batch counts as delivered:
 *
 * 1. Our end of the connection is closed after the last byte, and the server closes its own. It does so when it has
 *    read up to our end; a server that dies with unread bytes sends a reset instead.
 * 2. A second connection, the witness, which carries nothing and was accepted before the batch, stands during all of it: it
 *    breaks when the server is stopped or killed, which closes the first connection too.
 * 3. The witness still stands `HOLD_MS` later.
 *
 * What that cannot show: that a server keeps in its own memory for longer than `HOLD_MS` what it has read. README.md
 * tells how rsyslog and syslog-ng are set up so that they do not.
 */
export class ConfirmedDelivery implements Delivery {
  readonly confirms = true;
  readonly #destination: StreamDestination;
  readonly #memory: TlsMemory = {};
  readonly #open = new Set<Connection>();
  readonly #silent: () => void;
  #witness: Connection | undefined;
  #opening: Promise<Connection> | undefined;
  /** Whether the server closes connections that we have ended. */
  #closes: "unknown" | "yes" | "no" = "unknown";
  #closed = false;
  /** Has connected before. */
  #begun = false;

  /** @param silent told when the server does not close connections that we have ended, so that nothing is confirmed */
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
   * A server that has closed its connections before is stuck. One that never has may be of the kind that does not: when
   * its kernel has acknowledged every byte and nothing has failed, sending again would only multiply the messages.
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

  /** Two batches at once share the witness, and the opening of it. */
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

/** Resolves when the connection stands for that long. @throws when it breaks */
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
