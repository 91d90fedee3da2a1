import zlib, { type BrotliOptions, type ZlibOptions } from "node:zlib";
import type { BufferedBytes } from "../abi/buffered-bytes.js";
import { decodeInPieces, decodesInPieces, isZlib, MAX_RATIO, maxTextOf } from "./coding-stream.js";
import { codingsOf, codingsToUndo, isDecodedSync, MAX_SYNC_TEXT_BYTES } from "./codings.js";
import { CodingError, NoRoomError, OversizeError } from "./fault.js";
import { decodeZstd } from "./zstd.js";

export { CodingError, NoRoomError, OversizeError } from "./fault.js";

const NOTHING = Buffer.alloc(0);

type DecodeSync = (body: Buffer, options: ZlibOptions & BrotliOptions) => Buffer;

const DECODERS: ReadonlyMap<string, (body: Buffer) => DecodeSync> = new Map<
  string,
  (body: Buffer) => DecodeSync
>([
  ["gzip", () => zlib.gunzipSync],
  ["x-gzip", () => zlib.gunzipSync],
  ["br", () => zlib.brotliDecompressSync],
  ["deflate", (body) => (isZlib(body) ? zlib.inflateSync : zlib.inflateRawSync)],
]);

/** Too many codings are an error of `decodeBody`, so that such a body does not pass unfiltered. */
export function supportedCoding(encoding: string): boolean {
  return codingsOf(encoding).every((coding) => coding === "zstd" || DECODERS.has(coding));
}

/**
 * Undoes codings; "gzip, br" starts with br. Only short bodies block the event loop. An empty body decodes to
 * itself, since responses without content often keep the header.
 * @param held budget for the text and for intermediate results, taken in advance
 * @throws OversizeError if the text, or an intermediate result, has more than `maxBytes`
 * @throws CodingError for a bomb, damaged or truncated bytes, and an unsupported coding
 * @throws NoRoomError if the process buffers too many bodies
 */
export async function decodeBody(
  encoding: string,
  body: readonly Buffer[],
  maxBytes: number,
  held?: BufferedBytes,
): Promise<readonly Buffer[]> {
  let text = body;
  for (const coding of codingsToUndo(encoding)) {
    const size = sizeOf(text);
    if (size === 0) continue;
    const coded = text;
    text = await decodeOne(coding, coded, maxBytes, held);
    if (coded !== body) held?.give(size);
  }
  if (sizeOf(text) > maxBytes) throw new OversizeError(maxBytes);
  return text;
}

async function decodeOne(
  coding: string,
  body: readonly Buffer[],
  maxBytes: number,
  held: BufferedBytes | undefined,
): Promise<readonly Buffer[]> {
  const open = DECODERS.get(coding);
  if (open === undefined && coding !== "zstd")
    throw new CodingError(`the coding "${coding}" is not supported`);
  const short =
    open !== undefined && isDecodedSync(coding, body[0] ?? NOTHING, sizeOf(body))
      ? decodeShort(joined(body), open, maxBytes, held)
      : undefined;
  if (short !== undefined) return [short];
  if (decodesInPieces(coding)) return decodeInPieces(coding, body, maxBytes, held);
  return decodeZstdBody(joined(body), maxBytes, held);
}

async function decodeZstdBody(
  bytes: Buffer,
  maxBytes: number,
  held: BufferedBytes | undefined,
): Promise<Buffer[]> {
  const bomb = maxTextOf(bytes.length);
  try {
    return (await decodeZstd({ bytes, limit: Math.min(maxBytes, bomb), beginning: false }, held)).pieces;
  } catch (cause) {
    if (cause instanceof OversizeError && bomb < maxBytes)
      throw new CodingError(`the body grows by more than ${MAX_RATIO} times when zstd is decoded`, cause);
    if (cause instanceof OversizeError || cause instanceof CodingError || cause instanceof NoRoomError)
      throw cause;
    throw new CodingError("the body is not valid zstd", cause);
  }
}

/** @returns undefined if the body is damaged or its text is too long to be decoded synchronously */
function decodeShort(
  body: Buffer,
  open: (body: Buffer) => DecodeSync,
  maxBytes: number,
  held: BufferedBytes | undefined,
): Buffer | undefined {
  const most = Math.max(1, Math.min(MAX_SYNC_TEXT_BYTES, maxBytes));
  if (held?.take(most) === false) throw new NoRoomError();
  let size = 0;
  try {
    const text = open(body)(body, { maxOutputLength: most, chunkSize: Math.max(4_096, body.length * 5) });
    size = text.length;
    return text;
  } catch {
    return undefined;
  } finally {
    held?.give(most - size);
  }
}

const sizeOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, { length }) => sum + length, 0);

const joined = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
