import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

const DECODERS: ReadonlyMap<string, (body: Buffer, options: { maxOutputLength: number }) => unknown> =
  new Map([
    ["gzip", gunzipSync],
    ["x-gzip", gunzipSync],
    ["br", brotliDecompressSync],
    ["deflate", inflateSync],
  ]);
/** Bytes of text after which a body is taken for what it begins as. */
const ENOUGH = 65_536;
/** Magic number of a frame (RFC 8878 section 3.1.1). */
const ZSTD = "\x28\xb5\x2f\xfd";

/** Reports whether a body, a byte string, is in the one coding that a Content-Encoding value names. */
export function isCoded(body: string, encoding: string): boolean {
  const coding = encoding.toLowerCase();
  if (coding === "identity") return true;
  if (coding === "zstd") return body.startsWith(ZSTD);
  const decode = DECODERS.get(coding);
  if (decode === undefined) return false;
  try {
    decode(Buffer.from(body, "latin1"), { maxOutputLength: ENOUGH });
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "ERR_BUFFER_TOO_LARGE";
  }
}
