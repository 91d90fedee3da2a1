import { type BrokerDestination, zstdCompress } from "../../../runtime/logging/index.js";

/** Result of a kafkajs codec: an encoder whose bytes are `buffer`. */
interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

/**
 * kafkajs has gzip only. lz4 is missing, also in the schema: the packages that make its frames are
 * unmaintained since 2018 or need a compiler at installation.
 */
export async function provideCodec(
  compression: BrokerDestination["compression"],
  codecs: Record<number, () => unknown>,
): Promise<void> {
  if (compression === "snappy") {
    const codec = await snappy();
    codecs[2] = () => codec;
  } else if (compression === "zstd") {
    const codec = await zstd();
    codecs[4] = () => codec;
  }
}

/** The records are in one buffer or in several consecutive ones. */
interface Packing {
  compressSync(records: Buffer | { readonly buffer: Buffer }): Buffer;
}

/** @platformatic/kafka has gzip, its own lz4, and zstd only if Node has it (22.15). */
export async function providePacking(
  compression: BrokerDestination["compression"],
  algorithms: { readonly zstd: Packing },
): Promise<void> {
  if (compression !== "zstd") return;
  const compress = await zstdCompress();
  algorithms.zstd.compressSync = (records) => compress(Buffer.isBuffer(records) ? records : records.buffer);
}

/** Block without the framing of snappy-java: all consumers accept both, and a request is one block anyway. */
async function snappy(): Promise<Codec> {
  const { compress } = (await import("snappyjs")).default;
  return { compress: async ({ buffer }) => Buffer.from(compress(buffer)), decompress: onlyProduced };
}

async function zstd(): Promise<Codec> {
  const compress = await zstdCompress();
  return { compress: async ({ buffer }) => compress(buffer), decompress: onlyProduced };
}

function onlyProduced(): never {
  throw new Error("a producer does not read records");
}
