import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { expect, it } from "vitest";
import { filter } from "../../../runtime/abi/text/filter.js";
import { GatewayResponse } from "../../../runtime/proxy/exchange/response.js";

const mask = filter([{ pattern: /secret/g, replacement: "***", window: 6 }]);

/** Frame of one segment (RFC 8878 section 3.1.1) of these blocks. */
const zstdFrame = (size: Buffer, ...blocks: readonly Buffer[]) =>
  Buffer.concat([Buffer.from([0x28, 0xb5, 0x2f, 0xfd, size.length === 1 ? 0x20 : 0xa0]), size, ...blocks]);
const ZSTD = zstdFrame(Buffer.from([8]), Buffer.from([(8 << 3) | 1, 0, 0]), Buffer.from("a secret"));

it.each([
  ["gzip", gzipSync("a secret")],
  ["GZip", gzipSync("a secret")],
  ["deflate", deflateSync("a secret")],
  ["br", brotliCompressSync("a secret")],
  ["zstd", ZSTD],
  ["gzip, br", brotliCompressSync(gzipSync("a secret"))],
  ["zstd, identity, gzip", gzipSync(ZSTD)],
])("a local reply with a Content-Encoding is filtered as its decoded text: %s", (coding, bytes) => {
  const response = new GatewayResponse();
  response.answer(200, bytes.toString("latin1"), "text/plain");
  response.headers.set("Content-Encoding", coding);
  response.filterBody(mask);
  response.dropFalseCoding();
  expect(response.filters?.reduce((text, { apply }) => apply(text), response.ownBody ?? "")).toBe("a ***");
  expect(response.headers.has("content-encoding")).toBe(false);
});

it("a local reply that is not in the coding of its Content-Encoding is filtered as it is", () => {
  const response = new GatewayResponse();
  response.answer(200, "a secret", "text/plain");
  response.headers.set("Content-Encoding", "gzip");
  response.filterBody(mask);
  expect(response.ownBody).toBe("a secret");
  expect(response.headers.has("content-encoding")).toBe(false);
});

const LONG = 17 * 1_048_576;
/** Number of blocks of 128 kB, each of which repeats a byte. */
const BLOCKS = LONG / 131_072;
const repeated = Array.from({ length: BLOCKS }, (_, i) =>
  Buffer.from([i === BLOCKS - 1 ? 3 : 2, 0, 0x10, "a".charCodeAt(0)]),
);
const SIZE = Buffer.alloc(4);
SIZE.writeUInt32LE(LONG);

it.each([
  ["a zstd body without its end", "zstd", ZSTD.subarray(0, -2)],
  ["a gzip body without its end", "gzip", gzipSync("a secret").subarray(0, -9)],
  ["a gzip body in br without its end", "gzip, br", brotliCompressSync(gzipSync("a secret").subarray(0, -9))],
  ["a br body of too long a text", "br", brotliCompressSync(Buffer.alloc(LONG, "a"))],
  ["a deflate body of too long a text", "deflate", deflateSync(Buffer.alloc(LONG, "a"))],
  ["a zstd body of too long a text", "zstd", zstdFrame(SIZE, ...repeated)],
])("%s in a local reply is rejected by all of its filters", (_, coding, bytes) => {
  const response = new GatewayResponse();
  response.answer(200, bytes.toString("latin1"), "text/plain");
  response.headers.set("Content-Encoding", coding);
  response.filterBody(mask);
  response.filterBody(mask);
  expect(response.fault).toMatch(/damaged|bytes of text/);
  expect(response.filters?.[0]).toMatchObject({ oversize: "refuse", maxBytes: -1 });
  response.replaceBody("another");
  expect(response.filters).toBeUndefined();
});
