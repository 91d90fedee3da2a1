import { execFileSync } from "node:child_process";
import zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import { decodeBody, supportedCoding } from "../../../runtime/http/content-encoding.js";
import { CodingError, OversizeError } from "../../../runtime/http/fault.js";

const MiB = 1_048_576;
const text = Buffer.from(
  JSON.stringify({ orders: Array.from({ length: 900 }, (_, id) => ({ id, nr: id * 7 })) }),
);
const zstd = (body: Buffer, ...options: string[]) =>
  execFileSync("zstd", ["-q", "-c", ...options], { input: body, maxBuffer: 64 * MiB });

const decoded = async (encoding: string, body: Buffer, maxBytes: number) =>
  Buffer.concat(await decodeBody(encoding, [body], maxBytes));

const encoders: Record<string, (body: Buffer) => Buffer> = {
  gzip: (body) => zlib.gzipSync(body),
  "x-gzip": (body) => zlib.gzipSync(body),
  // The default quality takes five seconds for the 40 MiB below and compresses them to as few bytes.
  br: (body) => zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
  deflate: (body) => zlib.deflateSync(body),
  zstd: (body) => zstd(body),
};

describe.each(Object.entries(encoders))("the coding %s", (coding, encode) => {
  it("a body is decoded to its text", async () => {
    expect(await decoded(coding, encode(text), MiB)).toEqual(text);
  });

  it("a body of a megabyte of noise is decoded", async () => {
    const noise = Buffer.from(
      Uint32Array.from({ length: MiB / 4 }, (_, i) => (i * 2654435761) ^ (i << 7)).buffer,
    );
    expect((await decoded(coding, encode(noise), MiB)).equals(noise)).toBe(true);
  });

  it("a body of an empty text is decoded", async () => {
    expect(await decoded(coding, encode(Buffer.alloc(0)), MiB)).toEqual(Buffer.alloc(0));
  });

  it("a truncated body is rejected at every length", async () => {
    const coded = encode(text.subarray(0, 200));
    for (let length = 1; length < coded.length; length++)
      await expect(decoded(coding, coded.subarray(0, length), MiB), `${length} bytes`).rejects.toThrow(
        CodingError,
      );
  });

  it("a body of another format is rejected", async () => {
    await expect(decoded(coding, Buffer.from("<html>plain text</html>"), MiB)).rejects.toThrow(CodingError);
  });

  it("a body is rejected one byte above the limit and decoded at the limit", async () => {
    await expect(decoded(coding, encode(text), text.length - 1)).rejects.toThrow(OversizeError);
    expect(await decoded(coding, encode(text), text.length)).toEqual(text);
  });

  it("a body that grows by more than 200 times is rejected", async () => {
    const bomb = encode(Buffer.alloc(40 * MiB));
    await expect(decoded(coding, bomb, 64 * MiB)).rejects.toThrow(CodingError);
  });
});

it("a raw deflate stream, as some servers send it, is decoded", async () => {
  expect(await decoded("deflate", zlib.deflateRawSync(text), MiB)).toEqual(text);
});

it("a gzip body of several members is decoded", async () => {
  const twice = Buffer.concat([zlib.gzipSync(text), zlib.gzipSync(text)]);
  expect(await decoded("gzip", twice, MiB)).toEqual(Buffer.concat([text, text]));
});

describe("zstd", () => {
  it.each([["-1"], ["-19"], ["--no-check"], ["--fast=3"]])(
    "a zstd body of option %s is decoded",
    async (option) => {
      const long = Buffer.concat(Array.from({ length: 40 }, () => text));
      expect((await decoded("zstd", zstd(long, option), 2 * MiB)).equals(long)).toBe(true);
    },
  );

  it("a zstd body of several frames, one of them skippable, is decoded", async () => {
    const skipped = Buffer.from("502a4d1803000000616263", "hex");
    const body = Buffer.concat([zstd(text), skipped, zstd(text)]);
    expect(await decoded("zstd", body, MiB)).toEqual(Buffer.concat([text, text]));
  });

  it("a zstd body with a window above 8 MiB is rejected", async () => {
    const header = Buffer.from("28b52ffd0070", "hex");
    await expect(decoded("zstd", Buffer.concat([header, Buffer.from("010000", "hex")]), MiB)).rejects.toThrow(
      CodingError,
    );
  });

  it("a zstd body that announces 2 GiB in a few bytes is rejected", async () => {
    const liar = Buffer.from("28b52ffda0ffffff7f010000", "hex");
    await expect(decoded("zstd", liar, 64 * MiB)).rejects.toThrow(CodingError);
  });

  it("a zstd body that announces 8 MiB in a few bytes is rejected, or decoded to nothing by Node", async () => {
    const liar = Buffer.from("28b52ffda0ffff7f00010000", "hex");
    const outcome = await decoded("zstd", liar, 64 * MiB).catch((error: unknown) => error);
    expect(outcome instanceof CodingError || (outcome instanceof Buffer && outcome.length === 0)).toBe(true);
  });
});

describe("a list of codings", () => {
  it("a list of codings is decoded from the last to the first", async () => {
    const coded = zlib.brotliCompressSync(zlib.gzipSync(text));
    expect(await decoded("gzip, br", coded, MiB)).toEqual(text);
    expect(await decoded("GZIP , identity,BR", coded, MiB)).toEqual(text);
  });

  it("a list of codings applies the limit to each step", async () => {
    const coded = zlib.gzipSync(zlib.gzipSync(text));
    await expect(decoded("gzip, gzip", coded, text.length - 1)).rejects.toThrow(OversizeError);
  });

  it("a list of five codings counts as supported, so that it is not passed on, but fails to decode", async () => {
    expect(supportedCoding("gzip, gzip, gzip, gzip")).toBe(true);
    expect(supportedCoding("gzip, gzip, gzip, gzip, gzip")).toBe(true);
    const four = [1, 2, 3, 4].reduce((body) => zlib.gzipSync(body), text);
    expect(await decoded("gzip, gzip, gzip, gzip", four, MiB)).toEqual(text);
    const five = zlib.gzipSync(four);
    await expect(decoded("gzip, gzip, gzip, gzip, gzip", five, MiB)).rejects.toThrow(CodingError);
  });
});

describe("without coding", () => {
  it.each(["", "identity"])("a body without a coding passes unchanged: %j", async (encoding) => {
    expect(supportedCoding(encoding)).toBe(true);
    expect(await decoded(encoding, text, MiB)).toEqual(text);
  });

  it("a body of coding identity is rejected above the limit", async () => {
    await expect(decoded("identity", text, 100)).rejects.toThrow(OversizeError);
  });
});

it.each(["compress", "gzip, aes128gcm", "exi"])("the coding %j is not supported", async (encoding) => {
  expect(supportedCoding(encoding)).toBe(false);
  await expect(decoded(encoding, text, MiB)).rejects.toThrow(CodingError);
});

it("an empty body of coding gzip is decoded to an empty text", async () => {
  expect(await decoded("gzip", Buffer.alloc(0), MiB)).toEqual(Buffer.alloc(0));
});
