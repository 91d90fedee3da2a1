import type { Transform } from "node:stream";
import zlib from "node:zlib";
import { BufferedBytes } from "../abi/buffered-bytes.js";
import { isPadding, isZlib } from "./coding-stream.js";
import { ringOf } from "./coding-window.js";
import { codingsToUndo, isDecodedSync, MAX_SYNC_TEXT_BYTES } from "./codings.js";
import { DecodedPieces, DecoderSlots } from "./decoder-memory.js";
import { CodingError, NoRoomError } from "./fault.js";
import { hasNativeZstd, ZstdFramesStream } from "./zstd-frames-stream.js";
import { decodeZstd } from "./zstd-thread.js";

/** Decoded text of a body, of which perhaps only the first bytes are available. */
export interface BodyPrefix {
  readonly text: Buffer;
  /** True if the text was not cut at `maxBytes` and the last bytes were readable. */
  readonly whole: boolean;
}

type Decoder = (body: Buffer, maxBytes: number, held: BufferedBytes) => Promise<BodyPrefix>;

/** Bytes of output per step of a stream. */
const STEP = 65_536;
/** Coded bytes per write; small enough to notice input that costs work without giving text. */
const MAX_WRITE = 65_536;
/** Writes into which a damaged body is cut; costs a small body seven times the time of one. Loses at most a 32nd. */
const WRITES = 32;

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
const deflated = { finishFlush: Z_SYNC_FLUSH };
const brotli = { finishFlush: BROTLI_OPERATION_FLUSH };
const gunzip = decoder("gzip", zlib.gunzipSync, zlib.createGunzip, deflated);
const inflate = decoder("deflate", zlib.inflateSync, zlib.createInflate, deflated);
const inflateRaw = decoder("deflate", zlib.inflateRawSync, zlib.createInflateRaw, deflated);
const unbrotli = decoder("br", zlib.brotliDecompressSync, zlib.createBrotliDecompress, brotli);

const DECODERS = new Map<string, Decoder>([
  ["gzip", gunzip],
  ["x-gzip", gunzip],
  ["br", unbrotli],
  ["deflate", (body, maxBytes, held) => (isZlib(body) ? inflate : inflateRaw)(body, maxBytes, held)],
  ["zstd", hasNativeZstd ? nativeZstd : zstdInJavaScript],
]);

/**
 * Undoes the codings of a Content-Encoding value on the first bytes of a body; large ones in zlib's threads.
 * Decodes as much as possible, at most `maxBytes`: a log prefers a part to nothing.
 * @param held budget for the text and for intermediate results, taken in advance; without room the text ends
 * @throws CodingError for an unsupported coding, and if nothing could be decoded
 * @throws NoRoomError if the process buffers too many bodies
 */
export async function decodePrefix(
  encoding: string,
  body: Buffer,
  maxBytes: number,
  held = new BufferedBytes(undefined),
): Promise<BodyPrefix> {
  let beginning: BodyPrefix = { text: body, whole: true };
  for (const coding of codingsToUndo(encoding)) {
    const decoder = DECODERS.get(coding);
    if (decoder === undefined) throw new CodingError(`the coding "${coding}" is not supported`);
    const next = await decoder(beginning.text, maxBytes, held);
    if (beginning.text !== body) held.give(beginning.text.length);
    beginning = { text: next.text, whole: beginning.whole && next.whole };
  }
  return beginning;
}

async function zstdInJavaScript(body: Buffer, maxBytes: number, held: BufferedBytes): Promise<BodyPrefix> {
  const { pieces, whole } = await decodeZstd({ bytes: body, limit: maxBytes, beginning: true }, held);
  return cutTo(maxBytes, pieces, whole, held);
}

function nativeZstd(body: Buffer, maxBytes: number, held: BufferedBytes): Promise<BodyPrefix> {
  return inPieces(
    { coding: "zstd", open: () => new ZstdFramesStream(), writes: WRITES },
    body,
    maxBytes,
    held,
  );
}

/** Joins the pieces, cut at `maxBytes`, and returns the bytes above to the budget. */
function cutTo(maxBytes: number, pieces: readonly Buffer[], whole: boolean, held: BufferedBytes): BodyPrefix {
  const size = pieces.reduce((sum, { length }) => sum + length, 0);
  if (size > maxBytes) held.give(size - maxBytes);
  return { text: Buffer.concat(pieces, Math.min(size, maxBytes)), whole: whole && size <= maxBytes };
}

/**
 * Decodes small bodies synchronously, larger or damaged ones and larger text in pieces. With the options
 * `lenient` zlib returns the text of a truncated stream; without them it throws.
 */
function decoder<Options extends object>(
  coding: string,
  atOnce: (body: Buffer, options: Options & { maxOutputLength: number }) => Buffer,
  open: () => zlib.Gunzip | zlib.BrotliDecompress,
  lenient: Options,
): Decoder {
  return async (body, maxBytes, held) => {
    const maxOutputLength = Math.min(MAX_SYNC_TEXT_BYTES, maxBytes);
    if (isDecodedSync(coding, body, body.length) && held.take(maxOutputLength)) {
      for (const whole of [true, false]) {
        try {
          const text = atOnce(body, { ...(whole ? ({} as Options) : lenient), maxOutputLength });
          held.give(maxOutputLength - text.length);
          return { text, whole };
        } catch (error) {
          // The stream below returns the text that can be decoded, or the reason for none.
          if (!endsEarly(error)) break;
        }
      }
      held.give(maxOutputLength);
    }
    try {
      return await inPieces({ coding, open, writes: 1 }, body, maxBytes, held);
    } catch (error) {
      if (!(error instanceof DamagedError)) throw error;
      // Damage loses all text of its write. Brotli gives no text before its window, mostly 4 MB, is full or
      // the write ends.
      return inPieces({ coding, open, writes: WRITES }, body, maxBytes, held);
    }
  };
}

const endsEarly = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "Z_BUF_ERROR";

/** Bytes in no known coding, or damage before any text. */
class DamagedError extends CodingError {}

interface Opened {
  readonly coding: string;
  readonly open: () => Transform;
  readonly writes: number;
}

/** Slots for decoders of logs. */
const places = new DecoderSlots();

function inPieces(opened: Opened, body: Buffer, maxBytes: number, held: BufferedBytes): Promise<BodyPrefix> {
  const { ahead, most } = ringOf(opened.coding, body);
  const decode = () => decodedWith(opened, body, maxBytes, held, STEP + ahead);
  return most === 0 ? decode() : places.in(decode);
}

async function decodedWith(
  { open, writes }: Opened,
  body: Buffer,
  maxBytes: number,
  held: BufferedBytes,
  ahead: number,
): Promise<BodyPrefix> {
  const text = new DecodedPieces(held, ahead);
  const stream = open();
  try {
    const whole = await decoded(stream, body, maxBytes, writes, text);
    return cutTo(maxBytes, text.pieces, whole, held);
  } catch (error) {
    held.give(text.size);
    throw error;
  } finally {
    stream.destroy();
    text.over();
  }
}

/** @returns true if nothing is missing */
function decoded(
  stream: Transform,
  body: Buffer,
  maxBytes: number,
  writes: number,
  text: DecodedPieces,
): Promise<boolean> {
  return new Promise((resolve, reject) => {
    stream.on("data", (part: Buffer) => {
      if (text.add(part) && text.size <= maxBytes) return;
      stream.destroy();
      if (text.size > 0) resolve(false);
      else reject(new NoRoomError());
    });
    stream.on("end", () => resolve(true));
    stream.on("error", (error) => {
      if (endsEarly(error) || (writes > 1 && text.size > 0)) resolve(false);
      else reject(new DamagedError("the body cannot be decoded", error));
    });
    let worked = 0;
    const step = Math.min(MAX_WRITE, Math.ceil(body.length / writes));
    for (let at = 0; at < body.length; at += step)
      stream.write(body.subarray(at, at + step), () => {
        worked += step;
        if (!isPadding(worked, text.size)) return;
        stream.destroy();
        reject(new CodingError("the decoded body is too small for the encoded one"));
      });
    // A separate step: an error at the end would lose the text of a write in the same step.
    stream.end();
  });
}
