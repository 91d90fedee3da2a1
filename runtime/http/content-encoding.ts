import zlib, { type BrotliOptions, type ZlibOptions } from "node:zlib";
import { BufferedBytes } from "../abi/buffered-bytes.js";
import { decoderOf, ZSTD_MAGIC } from "../abi/text/body-coding.js";
import { decodeInPieces, decodesInPieces, isZlib, MAX_RATIO, maxTextOf } from "./coding-stream.js";
import { codingsOf, codingsToUndo, isDecodedSync, MAX_SYNC_TEXT_BYTES } from "./codings.js";
import { CodingError, NoRoomError, OversizeError } from "./fault.js";
import { zstdSteps } from "./zstd-steps.js";
import { decodeZstd } from "./zstd-thread.js";

const NOTHING = Buffer.alloc(0);
/** Maximum decoded bytes of a body that a configuration or a plugin wrote coded. */
const MAX_TEXT = 16_777_216;
/** Magic bytes (RFC 1952 section 2.3.1). */
const GZIP_MAGIC = "\x1f\x8b";

type DecodeSync = (body: Buffer, options: ZlibOptions & BrotliOptions) => Buffer;

const DECODERS = new Map<string, (body: Buffer) => DecodeSync>([
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
  held = new BufferedBytes(undefined),
): Promise<readonly Buffer[]> {
  let text = body;
  for (const coding of codingsToUndo(encoding)) {
    const size = sizeOf(text);
    if (size === 0) continue;
    const coded = text;
    text = await decodeOne(coding, coded, maxBytes, held);
    if (coded !== body) held.give(size);
  }
  if (sizeOf(text) > maxBytes) throw new OversizeError(maxBytes);
  return text;
}

async function decodeOne(
  coding: string,
  body: readonly Buffer[],
  maxBytes: number,
  held: BufferedBytes,
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

async function decodeZstdBody(bytes: Buffer, maxBytes: number, held: BufferedBytes): Promise<Buffer[]> {
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
  held: BufferedBytes,
): Buffer | undefined {
  const most = Math.max(1, Math.min(MAX_SYNC_TEXT_BYTES, maxBytes));
  if (!held.take(most)) throw new NoRoomError();
  let size = 0;
  try {
    const text = open(body)(body, { maxOutputLength: most, chunkSize: Math.max(4_096, body.length * 5) });
    size = text.length;
    return text;
  } catch {
    return undefined;
  } finally {
    held.give(most - size);
  }
}

const sizeOf = (pieces: readonly Buffer[]) => pieces.reduce((sum, { length }) => sum + length, 0);

const joined = (pieces: readonly Buffer[]): Buffer =>
  pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);

/** Undoes those codings that a body is in, from the last one on. @throws CodingError for damage, or too long text */
export function withoutCodings(body: string, encoding: string): string {
  let text = body;
  for (const coding of codingsOf(encoding).reverse()) {
    const undone = withoutCoding(text, coding);
    if (undone === undefined) break;
    text = undone;
  }
  return text;
}

/** @returns undefined if the body is not in the coding */
function withoutCoding(body: string, coding: string): string | undefined {
  const magic = coding === "zstd" ? ZSTD_MAGIC : coding.endsWith("gzip") ? GZIP_MAGIC : "";
  if (!body.startsWith(magic)) return undefined;
  const bytes = Buffer.from(body, "latin1");
  try {
    if (coding === "zstd") {
      const pieces = [...zstdSteps({ bytes, limit: MAX_TEXT, beginning: false })];
      return Buffer.concat(pieces).toString("latin1");
    }
    return decoderOf(coding)?.(bytes, { maxOutputLength: MAX_TEXT }).toString("latin1");
  } catch (cause) {
    const isTooLong = (cause as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
    if (magic === "" && !isTooLong) return undefined;
    throw new CodingError(
      `a body with coding ${coding} is damaged, or decodes to more than ${MAX_TEXT} bytes`,
      cause,
    );
  }
}
