import type { BrokerDestination } from "../../../runtime/logging/logger-settings.js";
import { zstdCompress } from "../../../runtime/logging/zstd.js";

/** What kafkajs gives a codec: an encoder of its own, whose bytes are `buffer`. */
interface Codec {
  compress(encoder: { readonly buffer: Buffer }): Promise<Buffer>;
  decompress(bytes: Buffer): Promise<Buffer>;
}

/**
 * Adds a codec to those of kafkajs, which has gzip only. There is none for lz4: the packages that make its frames are
 * without care since 2018 or need a compiler when they are installed, so the schema does not know it.
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

/** An algorithm of @platformatic/kafka, which is given the records in one buffer or in several that make one. */
interface Packing {
  compressSync(records: Buffer | { readonly buffer: Buffer }): Buffer;
}

/** Gives @platformatic/kafka the same codecs: it has gzip, an lz4 of its own, and zstd only where Node has it (22.15). */
export async function providePacking(
  compression: BrokerDestination["compression"],
  algorithms: { readonly zstd: Packing },
): Promise<void> {
  if (compression !== "zstd") return;
  const compress = await zstdCompress();
  algorithms.zstd.compressSync = (records) => compress(Buffer.isBuffer(records) ? records : records.buffer);
}

/** A block without the framing of snappy-java: all consumers take both, and a request is one block anyway. */
async function snappy(): Promise<Codec> {
  const { compress } = (await import("snappyjs")).default;
  return { compress: async ({ buffer }) => Buffer.from(compress(buffer)), decompress: onlyProduced };
}

async function zstd(): Promise<Codec> {
  const compress = await zstdCompress();
  return { compress: async ({ buffer }) => compress(buffer), decompress: onlyProduced };
}

function onlyProduced(): never {
  throw new Error("a producer reads no records");
}
