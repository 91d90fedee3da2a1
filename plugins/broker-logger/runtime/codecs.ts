import type { BrokerDestination } from "../../../runtime/logging/logger-settings.js";

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

/** A block without the framing of snappy-java: all consumers take both, and a request is one block anyway. */
async function snappy(): Promise<Codec> {
  const { compress } = (await import("snappyjs")).default;
  return { compress: async ({ buffer }) => Buffer.from(compress(buffer)), decompress: onlyProduced };
}

/** Level 1: 3, the default, costs twice the time and saves 3 % of logs. */
async function zstd(): Promise<Codec> {
  const { init, compress } = (await import("@bokuweb/zstd-wasm")).default;
  await init();
  return { compress: async ({ buffer }) => Buffer.from(compress(buffer, 1)), decompress: onlyProduced };
}

function onlyProduced(): never {
  throw new Error("a producer reads no records");
}
