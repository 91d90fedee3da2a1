import type { Socket } from "node:net";
import tls from "node:tls";
import { carrierOf, holdBuffer, releaseBuffer } from "./transport.js";

/** Unsent bytes above which a writer must wait. */
const HIGH_WATER = 131_072;

interface WithHandle {
  /** Bytes in `writeQueueSize` are not yet in the kernel. */
  _handle: { writeQueueSize: number } | null;
}

const queuedIn = (socket: Socket): number => (socket as unknown as WithHandle)._handle?.writeQueueSize ?? 0;

/**
 * Writes to the handle instead of the stream's queue (0.6 µs a request); libuv keeps the order, also with
 * `end`. TLS takes one write at a time, so it uses the queue.
 */
export class Output {
  readonly #socket: Socket;
  readonly #direct: boolean;
  /** Socket under TLS. TLS passes on whole pieces, so only here a slow peer shows between them. */
  readonly #carrier: Socket | undefined;
  readonly #drained: () => void;
  /** Number of unfinished writes. */
  #pending = 0;
  /** True if a write could not finish synchronously. */
  #late = false;
  #ended = false;
  #onIdle: (() => void)[] | undefined = undefined;

  /** @param drained called once delayed writes are in the kernel; a failed one destroys the socket with its error */
  constructor(socket: Socket, drained: () => void) {
    this.#socket = socket;
    this.#direct = !(socket instanceof tls.TLSSocket);
    this.#carrier = this.#direct ? undefined : carrierOf(socket);
    this.#drained = drained;
  }

  /** Sends a byte string. With `large` between two others, all go in one system call, and none is copied for it. */
  text(text: string, large = "", after = ""): void {
    if (this.#ended) return;
    this.#pending++;
    const sole = text + after === "" ? large : text;
    if (large !== "" && sole !== large) this.#together(text, large, after, this.#written);
    else if (this.#direct) this.#socket._write(sole, "latin1", this.#written);
    else this.#socket.write(sole, "latin1", this.#written);
    if (this.#pending > 0) this.#late = true;
  }

  /** Sends bytes between two byte strings; they must not change until the kernel has them. */
  buffer(before: string, buffer: Buffer, start: number, end: number, after: string): void {
    if (this.#ended) return;
    holdBuffer(buffer);
    this.#pending++;
    const written = (error?: Error | null) => {
      releaseBuffer(buffer);
      this.#written(error);
    };
    const bytes = buffer.subarray(start, end);
    if (before === "" && after === "") {
      if (this.#direct) this.#socket._write(bytes, "buffer" as BufferEncoding, written);
      else this.#socket.write(bytes, written);
    } else this.#together(before, bytes, after, written);
    if (this.#pending > 0) this.#late = true;
  }

  #together(
    before: string,
    large: Buffer | string,
    after: string,
    written: (error?: Error | null) => void,
  ): void {
    if (this.#direct) {
      const encoding = typeof large === "string" ? "latin1" : ("buffer" as BufferEncoding);
      const pieces = [
        { chunk: before, encoding: "latin1" as const },
        { chunk: large, encoding },
        { chunk: after, encoding: "latin1" as const },
      ];
      this.#socket._writev?.(pieces, written);
      return;
    }
    this.#socket.cork();
    if (before !== "") this.#socket.write(before, "latin1");
    if (typeof large === "string") this.#socket.write(large, "latin1", written);
    else this.#socket.write(large, written);
    if (after !== "") this.#socket.write(after, "latin1");
    this.#socket.uncork();
  }

  /** True if the kernel has all output. */
  get idle(): boolean {
    return this.#pending === 0;
  }

  /** Calls `then` when the kernel has all output, or it was given up. */
  onceIdle(then: () => void): void {
    if (this.#pending === 0) then();
    else {
      this.#onIdle ??= [];
      this.#onIdle.push(then);
    }
  }

  /** True if a writer should wait for `drained`. */
  get full(): boolean {
    return this.#pending > 0 && this.unsent > HIGH_WATER;
  }

  /** Bytes that are not yet in the kernel; decreases while a slow peer reads. */
  get unsent(): number {
    if (this.#pending === 0) return 0;
    const unsent = this.#socket.writableLength + queuedIn(this.#socket);
    return this.#carrier === undefined ? unsent : unsent + queuedIn(this.#carrier);
  }

  end(): void {
    this.#ended = true;
    this.#socket.end();
  }

  #tellIdle(waiting: readonly (() => void)[]): void {
    this.#onIdle = undefined;
    for (const then of waiting) then();
  }

  readonly #written = (error?: Error | null): void => {
    this.#pending--;
    if (this.#pending === 0 && this.#onIdle !== undefined) this.#tellIdle(this.#onIdle);
    if (error) this.#socket.destroy(error);
    else if (this.#pending === 0 && this.#late) {
      this.#late = false;
      this.#drained();
    }
  };
}
