import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from "node:zlib";
import { decompress } from "fzstd";

type Decode = (body: Buffer) => Uint8Array;

const DECODERS: Readonly<Record<string, Decode>> = {
  identity: (body) => body,
  gzip: (body) => gunzipSync(body),
  "x-gzip": (body) => gunzipSync(body),
  br: (body) => brotliDecompressSync(body),
  // RFC 9110 says zlib; several servers send the bare stream.
  deflate: (body) => ((body[0] ?? 0) % 16 === 8 ? inflateSync(body) : inflateRawSync(body)),
  zstd: (body) => decompress(body),
};

function codings(field: string | undefined): string[] {
  return (field ?? "")
    .split(",")
    .map((coding) => coding.trim().toLowerCase())
    .filter((coding) => coding !== "");
}

/** Whether every coding of a Content-Encoding field is known. */
export function isDecodable(field: string | undefined): boolean {
  return codings(field).every((coding) => coding in DECODERS);
}

/** The plain bytes; undefined when the body is not what its codings say. The last coding was applied last. */
export function decoded(body: string, field: string | undefined): string | undefined {
  if (body === "") return "";
  try {
    let bytes: Uint8Array = Buffer.from(body, "latin1");
    for (const coding of codings(field).reverse()) bytes = DECODERS[coding]?.(Buffer.from(bytes)) ?? bytes;
    return Buffer.from(bytes).toString("latin1");
  } catch {
    return undefined;
  }
}
