import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

type Decode = (body: Buffer, options: { maxOutputLength: number }) => Buffer;

const DECODERS = new Map<string, Decode>([
  ["gzip", gunzipSync],
  ["x-gzip", gunzipSync],
  ["br", brotliDecompressSync],
  ["deflate", inflateSync],
]);
/** Decoded bytes that are enough to recognize a coding. */
const ENOUGH = 65_536;
/** Start of a frame (RFC 8878 section 3.1.1). */
export const ZSTD_MAGIC = "\x28\xb5\x2f\xfd";

/** @returns undefined for a coding, in lower case, that Node 20 cannot decode */
export const decoderOf = (coding: string): Decode | undefined => DECODERS.get(coding);

/** Reports whether a body, a byte string, is in the one coding that a Content-Encoding value names. */
export function isCoded(body: string, encoding: string): boolean {
  const coding = encoding.toLowerCase();
  if (coding === "identity") return true;
  if (coding === "zstd") return body.startsWith(ZSTD_MAGIC);
  const decode = DECODERS.get(coding);
  if (decode === undefined) return false;
  try {
    decode(Buffer.from(body, "latin1"), { maxOutputLength: ENOUGH });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
  }
}
