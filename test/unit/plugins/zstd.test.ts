import { decompress } from "fzstd";
import { expect, it } from "vitest";
import { provideCodec } from "../../../plugins/broker-logger/runtime/codecs.js";
import { compressed } from "../../../plugins/http-logger/runtime/compression.js";

it("zstd of broker-logger and http-logger in one process can be decompressed", async () => {
  const text = `{"padding":"${"x".repeat(700)}"}`.repeat(1000);
  const codecs: Record<number, () => unknown> = {};
  const forServer = async () => (await compressed(text, "zstd")).body;
  const forBroker = async () => {
    await provideCodec("zstd", codecs);
    const codec = codecs[4]?.() as { compress(encoder: { buffer: Buffer }): Promise<Buffer> };
    return codec.compress({ buffer: Buffer.from(text) });
  };
  for (let round = 0; round < 4; round++)
    for (const packed of await Promise.all([forServer(), forBroker(), forServer(), forBroker()])) {
      expect(packed.length).toBeLessThan(text.length / 2);
      expect(Buffer.from(decompress(packed)).toString()).toBe(text);
    }
});
