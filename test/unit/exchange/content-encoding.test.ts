import { execFileSync } from "node:child_process";
import zlib from "node:zlib";
import { describe, expect, it } from "vitest";
import {
  CodingError,
  decodeBody,
  OversizeError,
  supportedCoding,
} from "../../../runtime/http/content-encoding.js";

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
  // The default quality takes five seconds for the 40 MiB below, and makes as little of them.
  br: (body) => zlib.brotliCompressSync(body, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 5 } }),
  deflate: (body) => zlib.deflateSync(body),
  zstd: (body) => zstd(body),
};

describe.each(Object.entries(encoders))("the coding %s", (coding, encode) => {
  it("is undone", async () => {
    expect(await decoded(coding, encode(text), MiB)).toEqual(text);
  });

  it("is undone for a megabyte of noise", async () => {
    const noise = Buffer.from(
      Uint32Array.from({ length: MiB / 4 }, (_, i) => (i * 2654435761) ^ (i << 7)).buffer,
    );
    expect((await decoded(coding, encode(noise), MiB)).equals(noise)).toBe(true);
  });

  it("is undone for an empty text", async () => {
    expect(await decoded(coding, encode(Buffer.alloc(0)), MiB)).toEqual(Buffer.alloc(0));
  });

  it("refuses every truncation", async () => {
    const coded = encode(text.subarray(0, 200));
    for (let length = 1; length < coded.length; length++)
      await expect(decoded(coding, coded.subarray(0, length), MiB), `${length} bytes`).rejects.toThrow(
        CodingError,
      );
  });

  it("refuses bytes of another format", async () => {
    await expect(decoded(coding, Buffer.from("<html>plain text</html>"), MiB)).rejects.toThrow(CodingError);
  });

  it("stops one byte above the limit and not at it", async () => {
    await expect(decoded(coding, encode(text), text.length - 1)).rejects.toThrow(OversizeError);
    expect(await decoded(coding, encode(text), text.length)).toEqual(text);
  });

  it("refuses what grows by more than 200 times", async () => {
    const bomb = encode(Buffer.alloc(40 * MiB));
    await expect(decoded(coding, bomb, 64 * MiB)).rejects.toThrow(CodingError);
  });
});

it("undoes bare deflate streams as some servers send them", async () => {
  expect(await decoded("deflate", zlib.deflateRawSync(text), MiB)).toEqual(text);
});

it("undoes several members of one gzip body", async () => {
  const twice = Buffer.concat([zlib.gzipSync(text), zlib.gzipSync(text)]);
  expect(await decoded("gzip", twice, MiB)).toEqual(Buffer.concat([text, text]));
});

describe("zstd", () => {
  it.each([["-1"], ["-19"], ["--no-check"], ["--fast=3"]])("of level %s is undone", async (option) => {
    const long = Buffer.concat(Array.from({ length: 40 }, () => text));
    expect((await decoded("zstd", zstd(long, option), 2 * MiB)).equals(long)).toBe(true);
  });

  it("of several frames, one of them to be skipped, is undone", async () => {
    const skipped = Buffer.from("502a4d1803000000616263", "hex");
    const body = Buffer.concat([zstd(text), skipped, zstd(text)]);
    expect(await decoded("zstd", body, MiB)).toEqual(Buffer.concat([text, text]));
  });

  it("is refused when its window is above 8 MiB", async () => {
    const header = Buffer.from("28b52ffd0070", "hex");
    await expect(decoded("zstd", Buffer.concat([header, Buffer.from("010000", "hex")]), MiB)).rejects.toThrow(
      CodingError,
    );
  });

  it("that announces gigabytes in a few bytes is refused, or is what is there where Node decodes it", async () => {
    const liar = Buffer.from("28b52ffda0ffff7f00010000", "hex");
    const outcome = await decoded("zstd", liar, 64 * MiB).catch((error: unknown) => error);
    expect(outcome instanceof CodingError || (outcome instanceof Buffer && outcome.length === 0)).toBe(true);
  });
});

describe("a list of codings", () => {
  it("is undone from the last to the first", async () => {
    const coded = zlib.brotliCompressSync(zlib.gzipSync(text));
    expect(await decoded("gzip, br", coded, MiB)).toEqual(text);
    expect(await decoded("GZIP , identity,BR", coded, MiB)).toEqual(text);
  });

  it("counts the limit for each step", async () => {
    const coded = zlib.gzipSync(zlib.gzipSync(text));
    await expect(decoded("gzip, gzip", coded, text.length - 1)).rejects.toThrow(OversizeError);
  });

  it("is refused beyond four, and not passed by for a coding that nobody knows", async () => {
    expect(supportedCoding("gzip, gzip, gzip, gzip")).toBe(true);
    expect(supportedCoding("gzip, gzip, gzip, gzip, gzip")).toBe(true);
    await expect(decoded("br, br, br, br, br", text, MiB)).rejects.toThrow(CodingError);
  });
});

describe("without coding", () => {
  it.each(["", "identity"])("%j passes the body", async (encoding) => {
    expect(supportedCoding(encoding)).toBe(true);
    expect(await decoded(encoding, text, MiB)).toEqual(text);
  });

  it("still counts the limit", async () => {
    await expect(decoded("identity", text, 100)).rejects.toThrow(OversizeError);
  });
});

it.each(["compress", "gzip, aes128gcm", "exi"])("does not support %j", async (encoding) => {
  expect(supportedCoding(encoding)).toBe(false);
  await expect(decoded(encoding, text, MiB)).rejects.toThrow(CodingError);
});

it("takes an empty body for an empty text whatever its coding", async () => {
  expect(await decoded("gzip", Buffer.alloc(0), MiB)).toEqual(Buffer.alloc(0));
});
