import { close, fstatSync, openSync, write } from "node:fs";
import { messageOf } from "../abi/error-message.js";

/** Size in bytes at which a batch is written before its time. */
const BATCH_BYTES = 65_536;
const BATCH_MS = 200;
/** Maximum bytes that wait for a slow reader or disk; further lines are dropped: no request waits for its line. */
const MAX_WAITING_BYTES = 4_194_304;
/** PIPE_BUF: writes up to this size are atomic (pipe(7)). */
const PIPE_BYTES = 4_096;
const RETRY_MS = 50;
const STANDARD_OUTPUT = 1;

export interface LinesParts {
  /** Absolute path; undefined: standard output. */
  path: string | undefined;
  dropped: (lines: number) => void;
  failed: (reason: string) => void;
}

/**
 * Appends lines of several processes without tearing. O_APPEND puts each write behind the previous one (a
 * file is locked for it); a batch is one write of whole lines. Pipes guarantee this up to 4,096 bytes.
 */
export class LineAppender {
  readonly #parts: LinesParts;
  #descriptor: number | undefined;
  /** Maximum bytes of a write; a longer line could be torn. */
  atOnce = PIPE_BYTES;
  #waiting = "";
  #timer: NodeJS.Timeout | undefined;
  #writing: Promise<void> | undefined;
  /** Set if the last write ended inside a line. */
  #torn = false;
  #reopen = false;
  #closed = false;

  constructor(parts: LinesParts) {
    this.#parts = parts;
    this.#open();
  }

  /** @param line a byte string without its line end */
  add(line: string): void {
    if (this.#waiting.length + line.length > MAX_WAITING_BYTES || line.length >= this.atOnce) {
      this.#parts.dropped(1);
      return;
    }
    this.#waiting += `${line}\n`;
    if (this.#waiting.length >= BATCH_BYTES) this.#flush();
    else this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  /** Opens the file again after it was renamed: waiting lines go to the new one. */
  reopen(): void {
    this.#reopen = true;
    this.#flush();
  }

  /** Writes waiting lines until `deadlineMs` and drops the rest. The file closes after the current write. */
  async close(deadlineMs: number): Promise<void> {
    this.#flush();
    const written = this.#writing;
    const late = new Promise<void>((resolve) => setTimeout(resolve, deadlineMs).unref());
    await Promise.race([written, late]);
    this.#closed = true;
    // The next file reuses the number of a closed descriptor, and would receive the bytes.
    void Promise.resolve(written).then(() => this.#release());
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#writing ??= this.#work().finally(() => {
      this.#writing = undefined;
    });
  }

  async #work(): Promise<void> {
    for (;;) {
      if (this.#closed) {
        this.#drop(this.#waiting);
        this.#waiting = "";
        return;
      }
      if (this.#reopen || this.#descriptor === undefined) this.#open();
      if (this.#waiting === "") return;
      const size = this.#waiting.lastIndexOf("\n", this.atOnce - 1) + 1;
      const batch = this.#waiting.slice(0, size);
      this.#waiting = this.#waiting.slice(size);
      await this.#append(batch);
    }
  }

  #drop(text: string): void {
    const lines = text.split("\n").length - 1;
    if (lines > 0) this.#parts.dropped(lines);
  }

  async #append(batch: string): Promise<void> {
    const bytes = Buffer.from(this.#torn ? `\n${batch}` : batch, "latin1");
    const outcome = await this.#write(bytes);
    if (typeof outcome === "number" && outcome === bytes.length) {
      this.#torn = false;
      return;
    }
    // A full disk takes a part: the next line begins on a line of its own.
    const taken = typeof outcome === "number" ? outcome : 0;
    if (taken > 0) this.#torn = bytes[taken - 1] !== 0x0a;
    this.#drop(bytes.toString("latin1", taken));
    this.#parts.failed(typeof outcome === "number" ? "the disk stored only a part of it" : outcome);
  }

  /** @returns the number of bytes written, or why none were */
  async #write(bytes: Buffer): Promise<number | string> {
    for (;;) {
      const descriptor = this.#descriptor;
      if (descriptor === undefined) return "it is not open";
      const outcome = await new Promise<number | NodeJS.ErrnoException>((resolve) =>
        write(descriptor, bytes, 0, bytes.length, null, (error, taken) => resolve(error ?? taken)),
      );
      if (typeof outcome === "number") return outcome;
      if (outcome.code !== "EAGAIN") return messageOf(outcome);
      if (this.#closed) return "nothing was read from it until it was closed";
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }

  /** Opens the file; after a failure the previous one stays open. */
  #open(): void {
    this.#reopen = false;
    try {
      const { path } = this.#parts;
      const descriptor = path === undefined ? STANDARD_OUTPUT : openSync(path, "a", 0o640);
      this.#release();
      this.#descriptor = descriptor;
      this.atOnce = fstatSync(descriptor).isFile() ? MAX_WAITING_BYTES : PIPE_BYTES;
      this.#torn = false;
    } catch (error) {
      this.#parts.failed(messageOf(error));
    }
  }

  #release(): void {
    const descriptor = this.#descriptor;
    this.#descriptor = undefined;
    if (descriptor !== undefined && descriptor !== STANDARD_OUTPUT) close(descriptor, () => {});
  }
}
