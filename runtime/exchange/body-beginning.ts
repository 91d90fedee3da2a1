import zlib from "node:zlib";
import { CodingError } from "./coding-fault.js";

/** What was decoded of a body of which perhaps only the first bytes are there. */
export interface Beginning {
  readonly text: Buffer;
  /** Nothing was cut at `maxBytes`, and no bytes at the end were unreadable. */
  readonly whole: boolean;
}

type Decoder = (body: Buffer, maxBytes: number) => Promise<Beginning>;

/** Nested codings of one body. */
const MAX_CODINGS = 4;

const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
const gunzip = streamed(() => zlib.createGunzip({ finishFlush: Z_SYNC_FLUSH }));
const inflate = streamed(() => zlib.createInflate({ finishFlush: Z_SYNC_FLUSH }));
const inflateRaw = streamed(() => zlib.createInflateRaw({ finishFlush: Z_SYNC_FLUSH }));

const DECODERS: ReadonlyMap<string, Decoder> = new Map<string, Decoder>([
  ["gzip", gunzip],
  ["x-gzip", gunzip],
  ["br", streamed(() => zlib.createBrotliDecompress({ finishFlush: BROTLI_OPERATION_FLUSH }))],
  ["deflate", (body, maxBytes) => (isZlib(body) ? inflate : inflateRaw)(body, maxBytes)],
]);

/**
 * Undoes the codings of a Content-Encoding value on the first bytes of a body, in the threads of zlib: as much as can be
 * decoded, at most `maxBytes`, for a log that would rather have a part than nothing.
 * @throws CodingError for a coding that is not supported, and when nothing could be decoded
 */
export async function decodeBeginning(encoding: string, body: Buffer, maxBytes: number): Promise<Beginning> {
  const codings = encoding
    .toLowerCase()
    .split(",")
    .map((coding) => coding.trim())
    .filter((coding) => coding !== "" && coding !== "identity");
  if (codings.length > MAX_CODINGS) throw new CodingError(`${codings.length} codings are nested`);
  let beginning: Beginning = { text: body, whole: true };
  for (const coding of codings.reverse()) {
    const decoder = DECODERS.get(coding);
    if (decoder === undefined) throw new CodingError(`the coding "${coding}" is not supported`);
    const next = await decoder(beginning.text, maxBytes);
    beginning = { text: next.text, whole: beginning.whole && next.whole };
  }
  return beginning;
}

/** "deflate" means the zlib format, but some servers send the bare stream (as in coding.ts). */
const isZlib = (body: Buffer) =>
  (body[0] ?? 0) % 16 === 8 && ((body[0] ?? 0) * 256 + (body[1] ?? 0)) % 31 === 0;

function streamed(open: () => zlib.Gunzip | zlib.BrotliDecompress): Decoder {
  return (body, maxBytes) =>
    new Promise((resolve, reject) => {
      const stream = open();
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
        if (size === 0) reject(new CodingError("the body cannot be decoded", error));
        else done(false);
      });
      stream.end(body);
    });
}
