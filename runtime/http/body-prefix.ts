import zlib from "node:zlib";
import { trimBlanks } from "../abi/text/field.js";
import { CodingError } from "./fault.js";
import { zstdBeginning } from "./zstd.js";

/** What was decoded of a body of which perhaps only the first bytes are there. */
export interface BodyPrefix {
  readonly text: Buffer;
  /** Nothing was cut at `maxBytes`, and no bytes at the end were unreadable. */
  readonly whole: boolean;
}

type Decoder = (body: Buffer, maxBytes: number) => Promise<BodyPrefix>;

/** Nested codings of one body. */
const MAX_CODINGS = 4;

/** Coded bytes up to which decoding happens at once: creating a stream and its thread's work cost three times as much. */
const AT_ONCE = 6_144;
const AT_ONCE_TEXT = 262_144;
/** Writes of a damaged body: seven times the time of one write where the body is small, and no more than a 32nd of it is lost. */
const WRITES = 32;

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
const deflated = { finishFlush: Z_SYNC_FLUSH };
const brotli = { finishFlush: BROTLI_OPERATION_FLUSH };
const gunzip = decoder(zlib.gunzipSync, zlib.createGunzip, deflated);
const inflate = decoder(zlib.inflateSync, zlib.createInflate, deflated);
const inflateRaw = decoder(zlib.inflateRawSync, zlib.createInflateRaw, deflated);
const unbrotli = decoder(zlib.brotliDecompressSync, zlib.createBrotliDecompress, brotli);

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["gzip", gunzip],
  ["x-gzip", gunzip],
  ["br", unbrotli],
  ["deflate", (body, maxBytes) => (isZlib(body) ? inflate : inflateRaw)(body, maxBytes)],
  ["zstd", zstdBeginning],
]);

/**
 * Undoes the codings of a Content-Encoding value on the first bytes of a body, large ones in the threads of zlib: as
 * much as can be decoded, at most `maxBytes`, for a log that would rather have a part than nothing.
 * @throws CodingError for a coding that is not supported, and when nothing could be decoded
 */
export async function decodePrefix(encoding: string, body: Buffer, maxBytes: number): Promise<BodyPrefix> {
  const codings = encoding
    .toLowerCase()
    .split(",")
    .map(trimBlanks)
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length > MAX_CODINGS) throw new CodingError(`${codings.length} codings are nested`);
  let beginning: BodyPrefix = { text: body, whole: true };
  for (const coding of codings.reverse()) {
    const decoder = DECODERS.get(coding);
    if (decoder === undefined) throw new CodingError(`the coding "${coding}" is not supported`);
    const next = await decoder(beginning.text, maxBytes);
    beginning = { text: next.text, whole: beginning.whole && next.whole };
  }
  return beginning;
}

/** "deflate" means the zlib format, but some servers send the bare stream (as in content-encoding.ts). */
const isZlib = (body: Buffer) =>
  (body[0] ?? 0) % 16 === 8 && ((body[0] ?? 0) * 256 + (body[1] ?? 0)) % 31 === 0;

/**
 * Small bodies at once; what is larger, or turns out to be, or is damaged, in pieces. `lenient`: options with which a
 * stream that ends early gives what it has; without them that is an error, which is how such a stream is known.
 */
function decoder<Options extends object>(
  atOnce: (body: Buffer, options: Options & { maxOutputLength: number }) => Buffer,
  open: () => zlib.Gunzip | zlib.BrotliDecompress,
  lenient: Options,
): Decoder {
  return async (body, maxBytes) => {
    if (body.length <= AT_ONCE) {
      const maxOutputLength = Math.min(AT_ONCE_TEXT, maxBytes);
      for (const whole of [true, false]) {
        try {
          const text = atOnce(body, { ...(whole ? ({} as Options) : lenient), maxOutputLength });
          return { text, whole };
        } catch (error) {
          // The stream below gives what can be decoded, or the reason why nothing can.
          if (!endsEarly(error)) break;
        }
      }
    }
    try {
      return await inPieces(open(), body, maxBytes, 1);
    } catch {
      // Damage takes the text of its write with it. Brotli gives none before its window, mostly 4 MB, is full or the write ends.
      return inPieces(open(), body, maxBytes, WRITES);
    }
  };
}

const endsEarly = (error: unknown) =>
  error instanceof Error && "code" in error && error.code === "Z_BUF_ERROR";

function inPieces(
  stream: zlib.Gunzip | zlib.BrotliDecompress,
  body: Buffer,
  maxBytes: number,
  writes: number,
): Promise<BodyPrefix> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let size = 0;
    const done = (whole: boolean) => {
      stream.destroy();
      resolve({ text: Buffer.concat(parts, Math.min(size, maxBytes)), whole });
    };
    stream.on("data", (part: Buffer) => {
      parts.push(part);
      size += part.length;
      if (size > maxBytes) done(false);
    });
    stream.on("end", () => done(true));
    stream.on("error", (error) => {
      if (size === 0 && !endsEarly(error)) reject(new CodingError("the body cannot be decoded", error));
      else done(false);
    });
    const step = Math.ceil(body.length / writes);
    for (let at = 0; at < body.length; at += step) stream.write(body.subarray(at, at + step));
    // Apart from the end: its error would take the text of a write in the same step with it.
    stream.end();
  });
}
