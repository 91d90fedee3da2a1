import zlib, { type ZlibOptions } from "node:zlib";
import { trimBlanks } from "../abi/text/field.js";
import { CodingError, OversizeError } from "./fault.js";
import { decodeZstd } from "./zstd.js";

export { CodingError, OversizeError } from "./fault.js";

type Decoder = (body: Buffer, limit: number) => Buffer | Promise<Buffer>;
type Options = ZlibOptions & zlib.BrotliOptions;

/** A text of more than 200 times its coded size is taken for a bomb … */
const MAX_RATIO = 200;
/** … unless it is small anyway: JSON full of zeros may shrink a thousandfold. */
const RATIO_FLOOR = 1_048_576;
/** Nested codings of one body; a second one is already rare. */
const MAX_CODINGS = 4;
/** Coded bytes up to which decoding happens at once. CPU at once and through a thread: 41 and 129 µs for 0.4 kB, 59 and 63 for 5 kB. */
const AT_ONCE = 6_144;

const gunzip = inflater(zlib.gunzipSync, zlib.gunzip);
const inflate = inflater(zlib.inflateSync, zlib.inflate);
const inflateRaw = inflater(zlib.inflateRawSync, zlib.inflateRaw);
const unbrotli = inflater(zlib.brotliDecompressSync, zlib.brotliDecompress);

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["gzip", gunzip],
  ["x-gzip", gunzip],
  ["br", unbrotli],
  ["deflate", (body, limit) => (isZlib(body) ? inflate : inflateRaw)(body, limit)],
  ["zstd", decodeZstd],
]);

/** Whether every coding of a Content-Encoding value is known; too many of them are a fault, not a body to pass unfiltered. */
export function supportedCoding(encoding: string): boolean {
  return codingsOf(encoding).every((coding) => DECODERS.has(coding));
}

/**
 * Undoes the codings of a Content-Encoding value ("gzip", "gzip, br": the last one named is undone first).
 * An empty body decodes to itself, since answers without content often keep the header.
 * @throws OversizeError when the text, or a step towards it, has more than `maxBytes`
 * @throws CodingError for a bomb, for damaged or truncated bytes, and for a coding that is not supported
 */
export async function decodeBody(encoding: string, body: Buffer, maxBytes: number): Promise<Buffer> {
  const codings = codingsOf(encoding);
  if (codings.length > MAX_CODINGS)
    throw new CodingError(`${codings.length} codings are nested, at most ${MAX_CODINGS} are undone`);
  let text = body;
  for (const coding of codings.reverse()) {
    const decoder = DECODERS.get(coding);
    if (decoder === undefined) throw new CodingError(`the coding "${coding}" is not supported`);
    if (text.length > 0) text = await decodeOne(coding, decoder, text, maxBytes);
  }
  if (text.length > maxBytes) throw new OversizeError(maxBytes);
  return text;
}

async function decodeOne(coding: string, decoder: Decoder, body: Buffer, maxBytes: number): Promise<Buffer> {
  const bomb = Math.max(RATIO_FLOOR, body.length * MAX_RATIO);
  try {
    return await decoder(body, Math.min(maxBytes, bomb));
  } catch (cause) {
    if (cause instanceof OversizeError && bomb < maxBytes)
      throw new CodingError(`the body grows by more than ${MAX_RATIO} times when ${coding} is undone`, cause);
    if (cause instanceof OversizeError || cause instanceof CodingError) throw cause;
    throw new CodingError(`the body is not intact ${coding}`, cause);
  }
}

function codingsOf(encoding: string): string[] {
  return encoding
    .toLowerCase()
    .split(",")
    .map(trimBlanks)
    .filter((coding) => coding !== "" && coding !== "identity");
}

/** "deflate" means the zlib format (RFC 9110 section 8.4.1.2), but some servers send the bare stream; a zlib header is never the start of one. */
function isZlib(body: Buffer): boolean {
  return (body[0] ?? 0) % 16 === 8 && ((body[0] ?? 0) * 256 + (body[1] ?? 0)) % 31 === 0;
}

function inflater(
  atOnce: (body: Buffer, options: Options) => Buffer,
  inThread: (body: Buffer, options: Options, done: (error: Error | null, text: Buffer) => void) => void,
): Decoder {
  return (body, limit) => {
    const options = { maxOutputLength: Math.max(1, limit), chunkSize: chunkFor(body) };
    return body.length <= AT_ONCE ? atOnceOr(atOnce, body, options) : threaded(inThread, body, options);
  };
}

/** Room for one step of output. Five times the coded size is the usual ratio of JSON; 16 kB are zlib's default. */
function chunkFor(body: Buffer): number {
  return Math.min(262_144, Math.max(4_096, body.length * 5));
}

function atOnceOr(
  atOnce: (body: Buffer, options: Options) => Buffer,
  body: Buffer,
  options: Options & { maxOutputLength: number },
): Buffer {
  try {
    return atOnce(body, options);
  } catch (error) {
    throw translated(error, options.maxOutputLength);
  }
}

function threaded(
  inThread: (body: Buffer, options: Options, done: (error: Error | null, text: Buffer) => void) => void,
  body: Buffer,
  options: Options & { maxOutputLength: number },
): Promise<Buffer> {
  return new Promise((resolve, reject) =>
    inThread(body, options, (error, text) =>
      error === null ? resolve(text) : reject(translated(error, options.maxOutputLength)),
    ),
  );
}

function translated(error: unknown, limit: number): unknown {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ERR_BUFFER_TOO_LARGE" ? new OversizeError(limit) : error;
}
