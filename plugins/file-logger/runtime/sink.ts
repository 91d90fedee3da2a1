import { setTimeout as wait } from "node:timers/promises";
import { messageOf, type ResourceContext } from "../../../runtime/abi/plugin-api.js";
import { type Destination, type LogEntry, SendError, type Sink } from "../../../runtime/logging/index.js";
import { LogFile, type LogFileSettings } from "./log-file.js";

/** Part of modules and spools. */
export interface FileDestination extends LogFileSettings {
  /** `delivery: durable`: records count as delivered once they are on disk, not only in the kernel. */
  readonly flush?: boolean;
}

/** PIPE_BUF: writes up to this size are atomic on a pipe (pipe(7)). */
const PIPE_BYTES = 4_096;
/** Retry interval of a full pipe, and how long its reader may read nothing. */
const RETRY_MS = 50;
const PATIENCE_MS = 3_000;

/** The file is opened at the first batch. */
export function openFileSink(destination: Destination, context: ResourceContext): Sink {
  return new FileSink(destination.settings as unknown as FileDestination, context);
}

/** One write appends a batch: O_APPEND keeps it in one piece among other workers, on a pipe up to 4,096 bytes. */
export class FileSink implements Sink {
  readonly #path: string;
  readonly #maxBytes: number | undefined;
  readonly #flush: boolean;
  readonly #file: LogFile;
  readonly #forget: (() => void) | undefined;
  /** Writes and openings run one after the other. */
  #turn: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(destination: FileDestination, { report, metrics, onReopen }: ResourceContext) {
    const { path, maxBytes, flush = false } = destination;
    this.#path = path;
    this.#maxBytes = maxBytes;
    this.#flush = flush;
    const help = "Failed renames of a full log file, which is still written to.";
    this.#file = new LogFile(destination, (reason) => {
      metrics.counter("gw_log_rotations_failed_total", help, { path }).add(1);
      report("log_file_not_rotated", { path, reason });
    });
    this.#forget = onReopen?.(() => this.#reopen());
  }

  /** Maximum size of the file. */
  get batchBytes(): number | undefined {
    return this.#maxBytes;
  }

  /** @throws SendError with the records that are whole lines in the file */
  send(entries: readonly LogEntry[]): Promise<void> {
    return this.#inTurn(() => this.#send(entries));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#forget?.();
    await this.#inTurn(() => this.#file.close());
  }

  async #send(entries: readonly LogEntry[]): Promise<void> {
    let delivered = 0;
    try {
      const bytes = entries.reduce((sum, { payload }) => sum + payload.length + 1, 0);
      let torn = await this.#file.prepare(bytes);
      for (const part of this.#file.isRegular ? [entries] : pipeParts(entries)) {
        const text = part.map(({ payload }) => `${payload}\n`).join("");
        const taken = await this.#write(Buffer.from(torn ? `\n${text}` : text, "latin1"));
        const lines = linesWithin(part, torn ? taken - 1 : taken);
        delivered += lines;
        if (lines < part.length) throw new Error("the disk stored only a part of the batch");
        torn = false;
      }
      if (this.#flush) await this.#file.flush();
    } catch (error) {
      if (this.#flush && delivered > 0) delivered = await this.#flushed(delivered);
      // The next attempt opens it again; the cause may be gone by then.
      await this.#file.close().catch(() => {});
      throw new SendError(`file ${this.#path}: ${messageOf(error)}`, delivered, [], { cause: error });
    }
  }

  /** Records on disk, among those written before a failure. */
  #flushed(delivered: number): Promise<number> {
    return this.#file.flush().then(
      () => delivered,
      () => 0,
    );
  }

  /** A second write to a file could follow one of another process. Waits for a full pipe. */
  async #write(bytes: Buffer): Promise<number> {
    let taken = 0;
    for (let still = 0; still < PATIENCE_MS; ) {
      try {
        taken += await this.#file.write(bytes.subarray(taken));
        if (taken === bytes.length || this.#file.isRegular) return taken;
        still = 0;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== "EAGAIN" || this.#closed) throw error;
        await wait(RETRY_MS);
        still += RETRY_MS;
      }
    }
    throw new Error(`nothing has been read from it for ${PATIENCE_MS} ms`);
  }

  /** The program that has renamed the file waits for a new one. */
  #reopen(): void {
    this.#inTurn(async () => {
      await this.#file.close();
      if (!this.#closed) await this.#file.prepare(0);
    }).catch(() => {
      // The next batch reports the error.
    });
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#turn.then(work);
    this.#turn = done.catch(() => {});
    return done;
  }
}

/** Entries that are whole lines in the first bytes of their text. */
function linesWithin(entries: readonly LogEntry[], bytes: number): number {
  let end = 0;
  for (const [i, { payload }] of entries.entries()) {
    end += payload.length + 1;
    if (end > bytes) return i;
  }
  return entries.length;
}

/** Parts that a pipe takes atomically; a longer record is a part by itself. */
function* pipeParts(entries: readonly LogEntry[]): Generator<readonly LogEntry[]> {
  let from = 0;
  let bytes = 0;
  for (const [i, { payload }] of entries.entries()) {
    if (i > from && bytes + payload.length + 1 > PIPE_BYTES) {
      yield entries.slice(from, i);
      from = i;
      bytes = 0;
    }
    bytes += payload.length + 1;
  }
  if (from < entries.length) yield entries.slice(from);
}
