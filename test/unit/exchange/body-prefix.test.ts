import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodePrefix } from "../../../runtime/http/body-prefix.js";
import { CodingError } from "../../../runtime/http/fault.js";

const token = (i: number) => createHash("sha512").update(`${i}`).digest("hex").slice(0, 100);
/** Text of 400 kB that compresses to a third. */
const text = Buffer.from(
  Array.from({ length: 3_000 }, (_, i) => `{"id":${i},"token":"${token(i)}"}\n`).join(""),
);
const small = Buffer.from("a small text, a small text, a small text");
const zstd = (input: Buffer) => execFileSync("zstd", ["-q", "-c"], { input });
const CODINGS: [coding: string, code: (text: Buffer) => Buffer][] = [
  ["gzip", (body) => zlib.gzipSync(body)],
  ["x-gzip", (body) => zlib.gzipSync(body)],
  ["br", (body) => zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 4 } })],
  ["deflate", (body) => zlib.deflateSync(body)],
  ["deflate", (body) => zlib.deflateRawSync(body)],
  ["zstd", zstd],
];

describe.each(CODINGS)("the prefix of a body of coding %s", (coding, code) => {
  it("the prefix of a body is the whole text if the body is complete and fits", async () => {
    for (const body of [small, text]) {
      const beginning = await decodePrefix(coding, code(body), 1_000_000);
      expect(beginning.whole).toBe(true);
      expect(beginning.text.equals(body)).toBe(true);
    }
  });

  it("the prefix of a body is not longer than requested", async () => {
    for (const [body, most] of [
      [small, 10],
      [text, 100_000],
    ] as const) {
      const beginning = await decodePrefix(coding, code(body), most);
      expect(beginning.whole).toBe(false);
      expect(beginning.text.equals(body.subarray(0, most))).toBe(true);
    }
  });

  it("the prefix of a truncated body is the text that can be decoded", async () => {
    const coded = code(text);
    const { text: found } = await decodePrefix(coding, coded.subarray(0, coded.length * 0.75), 1_000_000);
    expect(found.length).toBeGreaterThan(text.length / 3);
    expect(found.equals(text.subarray(0, found.length))).toBe(true);
  });

  it("the prefix of a body without its last 6 bytes is not called whole", async () => {
    for (const body of [small, text]) {
      const coded = code(body);
      const beginning = await decodePrefix(coding, coded.subarray(0, coded.length - 6), 1_000_000);
      expect(beginning.whole).toBe(false);
      expect(beginning.text.equals(body.subarray(0, beginning.text.length))).toBe(true);
    }
  });

  it("a body of which nothing can be decoded is rejected", async () => {
    await expect(decodePrefix(coding, Buffer.alloc(100, 0xff), 1_000)).rejects.toThrow();
  });

  it.each([0x00, 0x55, 0xff])(
    "the prefix of a body keeps the text before damage by bytes %i",
    async (byte) => {
      // Zstd decodes a block of up to 128 kB as a whole.
      for (const body of coding === "zstd" ? [text] : [text, text.subarray(0, 8_000)]) {
        const coded = code(body);
        coded.fill(byte, Math.floor(coded.length * 0.8));
        const { text: found } = await decodePrefix(coding, coded, 1_000_000);
        const same = found.findIndex((one, i) => one !== body[i]);
        expect(same < 0 ? found.length : same).toBeGreaterThan(body.length / 4);
      }
    },
  );
});

describe("codings", () => {
  it("a list of codings is decoded in turn, the last one first", async () => {
    const body = zlib.brotliCompressSync(zlib.gzipSync(small));
    expect((await decodePrefix(" GZIP , br", body, 1_000)).text.equals(small)).toBe(true);
  });

  it("an unknown coding and a list of five codings are rejected", async () => {
    await expect(decodePrefix("lzma", small, 1_000)).rejects.toThrow(CodingError);
    const four = [1, 2, 3, 4].reduce((body) => zlib.gzipSync(body), small);
    expect((await decodePrefix("gzip,gzip,gzip,gzip", four, 1_000)).text.equals(small)).toBe(true);
    const five = zlib.gzipSync(four);
    await expect(decodePrefix("gzip,gzip,gzip,gzip,gzip", five, 1_000)).rejects.toThrow(CodingError);
  });

  it("the coding identity leaves the text as it is", async () => {
    expect((await decodePrefix("identity", small, 1_000)).text.equals(small)).toBe(true);
  });

  it("the prefix of a decompression bomb is not longer than requested", async () => {
    const bomb = zlib.gzipSync(Buffer.alloc(50_000_000));
    const { text: found, whole } = await decodePrefix("gzip", bomb, 100_000);
    expect([found.length, whole]).toEqual([100_000, false]);
  });
});
