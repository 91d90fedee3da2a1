import { type LogEntry, SendError, type Sink } from "../../log/contract.js";
import type { SyslogDestination } from "../../log/logger-settings.js";
import { pieceSize, pieces } from "./framing.js";
import type { Delivery } from "./kept-connections.js";

const FIRST_PAUSE_MS = 100;
const LONGEST_PAUSE_MS = 2_000;

/** Syslog over tcp or TLS: writes a batch, and writes it again when the connection failed, for as long as `timeout` says. */
export class StreamSink implements Sink {
  readonly #destination: SyslogDestination;
  readonly #delivery: Delivery;
  readonly #random: () => number;
  readonly #pauses = new Set<() => void>();
  #closed = false;

  /** @param random between 0 and 1, for the jitter of pauses */
  constructor(destination: SyslogDestination, delivery: Delivery, random: () => number = Math.random) {
    this.#destination = destination;
    this.#delivery = delivery;
    this.#random = random;
  }

  /**
   * Messages longer than `drop_limit` are refused, the others sent.
   * @throws SendError with nothing delivered when it could not be sent within the timeout: of what was written on a
   * connection that failed, nobody knows what arrived
   */
  async send(entries: readonly LogEntry[]): Promise<void> {
    const { framing, flushLimit, dropLimit } = this.#destination;
    const refused = tooLong(entries, dropLimit);
    const sent = refused.length === 0 ? entries : entries.filter((_, i) => !refused.includes(i));
    const size = pieceSize(flushLimit, dropLimit);
    if (sent.length > 0) await this.#persistently(() => pieces(sent, framing, size), refused);
    if (refused.length > 0)
      throw new SendError(`messages longer than drop_limit, ${dropLimit} bytes`, entries.length, refused);
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const wake of this.#pauses) wake();
    await this.#delivery.close();
  }

  async #persistently(texts: () => Iterable<string>, refused: readonly number[]): Promise<void> {
    const { host, port, timeoutMs } = this.#destination;
    const deadline = performance.now() + timeoutMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
      try {
        if (this.#closed) throw new Error("closed");
        return await this.#delivery.deliver(texts());
      } catch (error) {
        const wait = pause * (0.5 + this.#random());
        if (this.#closed || performance.now() + wait > deadline) {
          const reason = error instanceof Error ? error.message : String(error);
          throw new SendError(`syslog server ${host}:${port}: ${reason}`, 0, refused, { cause: error });
        }
        await this.#pause(wait);
      }
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer);
        this.#pauses.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      this.#pauses.add(wake);
    });
  }
}

function tooLong(entries: readonly LogEntry[], limit: number): number[] {
  const found: number[] = [];
  entries.forEach(({ payload }, i) => {
    if (payload.length > limit) found.push(i);
  });
  return found;
}
