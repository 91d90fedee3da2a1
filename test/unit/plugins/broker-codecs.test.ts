import { decompress } from "fzstd";
import { describe, expect, it } from "vitest";
import { provideCodec } from "../../../plugins/broker-logger/runtime/codecs.js";

describe("zstd for the brokers", () => {
  it("zstd of the brokers can be decompressed, also with several destinations at once", async () => {
    const packer = async () => {
      const codecs: Record<number, () => unknown> = {};
      await provideCodec("zstd", codecs);
      return codecs[4]?.() as { compress(encoder: { buffer: Buffer }): Promise<Buffer> };
    };
    const records = Buffer.from(`{"padding":"${"x".repeat(700)}"}`.repeat(1000));
    for (let round = 0; round < 4; round++)
      for (const codec of await Promise.all([packer(), packer(), packer()])) {
        const packed = await codec.compress({ buffer: records });
        expect(packed.length).toBeLessThan(records.length / 2);
        expect(Buffer.from(decompress(packed)).equals(records)).toBe(true);
      }
  });
});
