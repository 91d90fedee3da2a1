import { brotliDecompressSync, gunzipSync, inflateSync } from "node:zlib";

const DECODERS: ReadonlyMap<string, (body: Buffer, options: { maxOutputLength: number }) => Buffer> = new Map(
  [
    ["gzip", gunzipSync],
    ["x-gzip", gunzipSync],
    ["br", brotliDecompressSync],
    ["deflate", inflateSync],
  ],
);
/** Largest text of a body that a configuration or a plugin wrote coded. */
const MAX_TEXT = 16_777_216;
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

/** Returns a body, a byte string, without the one coding that a Content-Encoding value names; undefined if it is not in it. */
export function withoutCoding(body: string, encoding: string): string | undefined {
  try {
    const bytes = Buffer.from(body, "latin1");
    return DECODERS.get(encoding.toLowerCase())?.(bytes, { maxOutputLength: MAX_TEXT }).toString("latin1");
  } catch {
    return undefined;
  }
}
