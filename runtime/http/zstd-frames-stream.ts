import { Transform, type TransformCallback } from "node:stream";
import zlib from "node:zlib";
import { CodingError } from "./fault.js";
import { MAX_FRAMES } from "./zstd-frames.js";

type NativeFrame = Transform & { readonly bytesWritten: number };
/** Exists in Node from 22.15 and 23.8 on, not in 20. */
const { createZstdDecompress } = zlib as { createZstdDecompress?: (options: object) => NativeFrame };

export const hasNativeZstd = createZstdDecompress !== undefined;

/** Limits the window to 8 MiB (RFC 9659). */
const OPTIONS = { chunkSize: 65_536, params: { 100: 23 } };

/** Gives each frame a new decoder: that of Node 24 ends with the first one, without an error, and drops the rest. */
export class ZstdFramesStream extends Transform {
  #frame: NativeFrame | undefined = undefined;
  #frames = 0;
  #onEnd: (() => void) | undefined = undefined;

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    const frame = (this.#frame ??= this.#open());
    if (this.#frames > MAX_FRAMES) {
      done(new CodingError(`the zstd body has more than ${MAX_FRAMES} frames`));
      return;
    }
    const before = frame.bytesWritten;
    this.#onEnd = () => {
      this.#frame = undefined;
      this._transform(bytes.subarray(frame.bytesWritten - before), _encoding, done);
    };
    frame.write(bytes, (error) => {
      // If the frame ends before the bytes do, its "end" event continues with the rest.
      if (!error && frame.bytesWritten - before === bytes.length) done();
    });
  }

  override _flush(done: TransformCallback): void {
    const frame = this.#frame;
    if (frame === undefined) {
      done();
      return;
    }
    this.#onEnd = () => done();
    frame.end();
  }

  #open(): NativeFrame {
    if (createZstdDecompress === undefined) throw new RangeError("no zstd in this Node");
    this.#frames++;
    const frame = createZstdDecompress(OPTIONS);
    frame.on("data", (piece: Buffer) => {
      if (!this.push(piece)) frame.pause();
    });
    frame.on("end", () => this.#onEnd?.());
    frame.on("error", (error) => this.destroy(error));
    return frame;
  }

  override _read(size: number): void {
    this.#frame?.resume();
    super._read(size);
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#frame?.destroy();
    done(error);
  }
}
