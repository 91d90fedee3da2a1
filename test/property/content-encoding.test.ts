import { execFileSync } from "node:child_process";
import zlib from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodePrefix } from "../../runtime/http/body-prefix.js";
import { decodeBody } from "../../runtime/http/content-encoding.js";
import { CodingError, OversizeError } from "../../runtime/http/fault.js";
import { runs } from "../support/runs.js";

const text = Buffer.from(
  JSON.stringify(Array.from({ length: 60 }, (_, id) => ({ id, name: `order ${id * id}` }))),
);
const zstd = (...options: string[]) => execFileSync("zstd", ["-q", "-c", ...options], { input: text });

const coded: [coding: string, body: Buffer][] = [
  ["gzip", zlib.gzipSync(text)],
  ["br", zlib.brotliCompressSync(text)],
  ["deflate", zlib.deflateSync(text)],
  ["zstd", zstd("-3")],
  ["zstd", zstd("-19", "--no-check")],
  ["zstd", zstd("--fast=5")],
];

/** Overwrites, removes and repeats ranges of bytes. */
const damage = fc.array(
  fc.record({
    at: fc.double({ min: 0, max: 1, noNaN: true }),
    cut: fc.nat(4),
    put: fc.uint8Array({ maxLength: 4 }),
  }),
  { minLength: 1, maxLength: 4 },
);

describe("a damaged body", () => {
  it.each(coded)(
    "a damaged body of coding %s is decoded to at most the limit, or rejected",
    async (coding, body) => {
      await fc.assert(
        fc.asyncProperty(damage, async (changes) => {
          let bytes = body;
          for (const { at, cut, put } of changes) {
            const start = Math.floor(at * bytes.length);
            bytes = Buffer.concat([bytes.subarray(0, start), put, bytes.subarray(start + cut)]);
          }
          try {
            const pieces = await decodeBody(coding, [bytes], 1_048_576);
            expect(Buffer.concat(pieces).length).toBeLessThanOrEqual(1_048_576);
          } catch (error) {
            expect(error instanceof CodingError || error instanceof OversizeError).toBe(true);
          }
        }),
        { numRuns: runs(200) },
      );
    },
  );
});

describe("a body whose end is missing", () => {
  it.each(coded)(
    "a truncated body of coding %s yields the beginning of its text, wherever it was cut",
    async (coding, body) => {
      await fc.assert(
        fc.asyncProperty(fc.nat(body.length), fc.nat(text.length), async (length, most) => {
          const cut = decodePrefix(coding, body.subarray(0, length), most);
          const { text: found } = await cut.catch(() => ({ text: Buffer.alloc(0) }));
          expect(found.length).toBeLessThanOrEqual(most);
          expect(found.equals(text.subarray(0, found.length))).toBe(true);
        }),
        { numRuns: runs(200) },
      );
    },
  );
});
