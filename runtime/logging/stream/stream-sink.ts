import { setTimeout as pauseFor } from "node:timers/promises";
import { type LogEntry, SendError, type Sink } from "../../abi/delivery.js";
import { messageOf } from "../../abi/error-message.js";
import type { StreamDestination, StreamTerms } from "../logger-settings.js";
import { SendRate, TooSlowError } from "./send-rate.js";
import type { Delivery } from "./stream-pool.js";

/** Limits of a write. It costs the kernel about 5 µs: smaller pieces only cost time, larger ones only memory. */
const SMALLEST_PIECE = 64 * 1024;
const LARGEST_PIECE = 1024 * 1024;

const FIRST_PAUSE_MS = 100;
const MAX_PAUSE_MS = 2_000;

/** Sink for messages over tcp or TLS. After a failure it writes a batch again until `timeout` ends. */
export class StreamSink implements Sink {
  readonly #destination: StreamDestination;
  readonly #delivery: Delivery;
  readonly #terms: StreamTerms;
  readonly #pace: SendRate;
  readonly #closed = new AbortController();

  constructor(destination: StreamDestination, delivery: Delivery, terms: StreamTerms) {
    this.#destination = destination;
    this.#terms = terms;
    this.#delivery = delivery;
    this.#pace = new SendRate(delivery.leastMs, delivery.confirms);
  }

  get batchBytes(): number {
    return this.#pace.bytes;
  }

  /**
   * Refuses messages longer than `drop_limit` and sends the others: together, or in parts as large as the
   * server takes if the delivery confirms.
   * @throws SendError with the messages known to be delivered, if the deadline passed; it is unknown what
   * arrived on a failed connection
   */
  async send(entries: readonly LogEntry[]): Promise<void> {
    const { dropLimit } = this.#destination;
    const refused = entries.flatMap(({ payload }, i) => (payload.length > dropLimit ? [i] : []));
    const refusedIndexes = new Set(refused);
    const places = entries.flatMap((_, i) => (refusedIndexes.has(i) ? [] : [i]));
    for (let from = 0; from < places.length; ) {
      const part = this.#delivery.confirms
        ? partOf(entries, places, from, this.#pace.bytes)
        : places.slice(from);
      const sent = part.map((i) => entries[i] as LogEntry);
      await this.#sendWithRetries(sent, places[from] ?? 0, refused);
      from += part.length;
    }
    if (refused.length > 0)
      throw new SendError(`messages longer than drop_limit, ${dropLimit} bytes`, entries.length, refused);
  }

  async close(): Promise<void> {
    this.#closed.abort();
    await this.#delivery.close();
  }

  async #sendWithRetries(
    entries: readonly LogEntry[],
    delivered: number,
    refused: readonly number[],
  ): Promise<void> {
    const { host, port, timeoutMs } = this.#destination;
    const deadline = performance.now() + timeoutMs;
    for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, MAX_PAUSE_MS)) {
      try {
        if (this.#closed.signal.aborted) throw new Error("closed");
        return await this.#once(entries);
      } catch (error) {
        const wait = pause * (0.5 + Math.random());
        if (
          this.#closed.signal.aborted ||
          error instanceof TooSlowError ||
          performance.now() + wait > deadline
        ) {
          const reason = messageOf(error);
          throw new SendError(`${this.#terms.server} ${host}:${port}: ${reason}`, delivered, refused, {
            cause: error,
          });
        }
        await pauseFor(wait, undefined, { signal: this.#closed.signal }).catch(() => {});
      }
    }
  }

  async #once(entries: readonly LogEntry[]): Promise<void> {
    const { framing, flushLimit, dropLimit } = this.#destination;
    const bytes = entries.reduce((sum, { payload }) => sum + payload.length, 0);
    const texts = pieces(entries, framing, pieceSize(flushLimit, dropLimit));
    try {
      this.#pace.worked(bytes, await this.#delivery.deliver(texts, this.#pace.deadlineMs(bytes)));
    } catch (error) {
      if (error instanceof TooSlowError) this.#pace.late(bytes);
      throw error;
    }
  }
}

/** Returns the next indexes whose messages have at most `most` bytes together, but at least one index. */
function partOf(
  entries: readonly LogEntry[],
  places: readonly number[],
  from: number,
  most: number,
): readonly number[] {
  let bytes = 0;
  let to = from;
  for (; to < places.length; to++) {
    bytes += entries[places[to] as number]?.payload.length ?? 0;
    if (bytes > most && to > from) break;
  }
  return places.slice(from, to);
}

/** Length at which the send buffer is written: `flush_limit`, from 64 KiB to 1 MiB and at most `drop_limit`. */
export function pieceSize(flushLimit: number, dropLimit: number): number {
  return Math.min(Math.max(flushLimit, SMALLEST_PIECE), LARGEST_PIECE, dropLimit);
}

/**
 * Yields the messages as texts to write, each of about `size` bytes; no message is split over two. "newline"
 * ends each message in LF (RFC 6587 section 3.4.2). "octet_counting" puts length and blank in front of each
 * (section 3.4.1), without an LF, which would be part of the message.
 */
export function* pieces(
  entries: readonly LogEntry[],
  framing: StreamDestination["framing"],
  size: number,
): Generator<string> {
  let text = "";
  for (const { payload } of entries) {
    text += framing === "newline" ? `${payload}\n` : `${payload.length} ${payload}`;
    if (text.length < size) continue;
    yield text;
    text = "";
  }
  if (text !== "") yield text;
}
