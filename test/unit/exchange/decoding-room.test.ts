import { execFileSync } from "node:child_process";
import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { BufferedBytes } from "../../../runtime/abi/buffered-bytes.js";
import { decodePrefix } from "../../../runtime/http/body-prefix.js";
import { ringOf } from "../../../runtime/http/coding-window.js";
import { decodeBody } from "../../../runtime/http/content-encoding.js";
import { NoRoomError } from "../../../runtime/http/fault.js";
import { loggedBody } from "../../../runtime/logging/body-text.js";
import { BROTLI_BOMB, brotli, flushedBrotli, textOf } from "../../support/coded-bodies.js";
import { wholeBody } from "../../support/finished-exchange.js";

const zstd = (text: Buffer) => execFileSync("zstd", ["-q", "-c"], { input: text, maxBuffer: 16_777_216 });
const CODINGS: [coding: string, code: (text: Buffer) => Buffer][] = [
  ["gzip", (text) => gzipSync(text)],
  ["deflate", (text) => deflateSync(text)],
  ["br", (text) => brotli(text, 18)],
  ["zstd", zstd],
];

const SIZE = 1_000_000;
const text = textOf(SIZE);
/** Bytes that a decoder may produce at a time. */
const AHEAD = 524_288;

/** Budget that records its highest count. */
function budgetOf(bufferedBodyBytes: number) {
  let bytes = 0;
  return {
    most: 0,
    limits: { bufferedBodyBytes },
    get bufferedBytes() {
      return bytes;
    },
    set bufferedBytes(value: number) {
      bytes = value;
      this.most = Math.max(this.most, value);
    },
  };
}

describe.each(CODINGS)("a body of coding %s that is decoded", (coding, code) => {
  it("a decoded body counts against the budget before its text exists, and by its text in the end", async () => {
    const budget = budgetOf(10 * SIZE);
    const held = new BufferedBytes(budget);
    await decodeBody(coding, [code(text)], 2 * SIZE, held);
    expect(budget.bufferedBytes).toBe(SIZE);
    expect(budget.most).toBeGreaterThan(SIZE);
    expect(budget.most).toBeLessThanOrEqual(SIZE + AHEAD);
    held.release();
    expect(budget.bufferedBytes).toBe(0);
  });

  it("a decoded body of a short text counts against the budget", async () => {
    const budget = budgetOf(10 * SIZE);
    const held = new BufferedBytes(budget);
    await decodeBody(coding, [code(text.subarray(0, 1_000))], SIZE, held);
    expect(budget.bufferedBytes).toBe(1_000);
  });

  it("a body is rejected if its text exceeds the budget of the process, which is never exceeded", async () => {
    for (const limit of [0, 600_000, SIZE]) {
      const budget = budgetOf(limit);
      const held = new BufferedBytes(budget);
      await expect(decodeBody(coding, [code(text)], 2 * SIZE, held)).rejects.toThrow(NoRoomError);
      expect(budget.most).toBeLessThanOrEqual(limit);
      held.release();
      expect(budget.bufferedBytes).toBe(0);
    }
  });

  it("a body of nested codings counts its intermediate bytes only until they are decoded", async () => {
    const budget = budgetOf(10 * SIZE);
    await decodeBody(`${coding}, gzip`, [gzipSync(code(text))], 2 * SIZE, new BufferedBytes(budget));
    expect(budget.bufferedBytes).toBe(SIZE);
  });

  it("a body for a log is cut when the budget is used up, and counts the rest of it", async () => {
    const budget = budgetOf(600_000);
    const held = new BufferedBytes(budget);
    const found = await decodePrefix(coding, code(text), 2 * SIZE, held);
    expect(found.whole).toBe(false);
    expect(found.text.length).toBeGreaterThan(0);
    expect(found.text.equals(text.subarray(0, found.text.length))).toBe(true);
    expect(budget.bufferedBytes).toBe(found.text.length);
    expect(budget.most).toBeLessThanOrEqual(600_000);
  });

  it("a body for a log stays encoded if the budget has no room at all", async () => {
    const budget = budgetOf(1_000);
    const coded = code(text).toString("latin1");
    const body = await loggedBody({ ...wholeBody(coded, coding), budget }, SIZE);
    expect(body).toEqual({ text: coded, coding, truncated: false, size: coded.length });
    expect(budget.bufferedBytes).toBe(0);
  });

  it("a body for a log counts until its record is made, within half of the budget", async () => {
    const budget = budgetOf(3 * SIZE);
    const body = await loggedBody({ ...wholeBody(code(text).toString("latin1"), coding), budget }, SIZE);
    expect(body.text).toHaveLength(SIZE);
    expect(budget.bufferedBytes).toBe(SIZE);
    body.held?.release();
    expect(budget.bufferedBytes).toBe(0);
  });
});

describe("the ring buffer of a decoder", () => {
  it.each([10, 16, 17, 18])(
    "the ring buffer for brotli is its window if the text is longer: 2 to the power of %i",
    (bits) => {
      const window = 2 ** bits;
      expect(ringOf("br", brotli(text, bits))).toEqual({ first: window, ahead: window, most: window });
    },
  );

  it.each([22, 24])(
    "the ring buffer for brotli with a window of 2 to the power of %i is no longer than a short text",
    (bits) => {
      const short = brotli(text.subarray(0, 1_000), bits);
      expect(ringOf("br", short)).toEqual({ first: 1_000, ahead: 1_000, most: 1_000 });
    },
  );

  it("the ring buffer for brotli is not longer than an uncompressed text", () => {
    expect(ringOf("br", brotli(Buffer.from("hello"))).most).toBe(5);
    const noise = Buffer.from(Array.from({ length: 3_000 }, (_, i) => (i * i * 2_654_435_761) >>> 13));
    expect(ringOf("br", brotli(noise)).most).toBe(3_000);
    expect(ringOf("br", brotli(Buffer.alloc(0))).most).toBe(0);
  });

  it("the ring buffer for brotli has the size of the window if a further block or its header is missing", async () => {
    const flushed = await flushedBrotli(text.subarray(0, 1_000));
    expect(ringOf("br", flushed)).toEqual({ first: 1_000, ahead: 2 ** 22, most: 2 ** 22 });
    expect(ringOf("br", flushed.subarray(0, 2)).first).toBe(2 ** 22);
    expect(ringOf("br", BROTLI_BOMB)).toEqual({ first: 2 ** 24, ahead: 2 ** 24, most: 2 ** 24 });
  });

  it("the ring buffer for zstd is at most 8 MiB, and that for gzip does not count", () => {
    expect(ringOf("zstd", zstd(text)).most).toBeLessThanOrEqual(8_388_608);
    expect(ringOf("gzip", gzipSync(text)).most).toBe(0);
  });
});

describe("a brotli body that allocates 16 MB before its first output", () => {
  const RING = 2 ** 24;

  it("a brotli body of 14 bytes is decoded off the event loop and its ring buffer counts", async () => {
    const budget = budgetOf(20 * SIZE);
    const decoding = decodePrefix("br", BROTLI_BOMB, SIZE, new BufferedBytes(budget));
    expect(budget.bufferedBytes).toBeGreaterThanOrEqual(RING);
    expect((await decoding).text).toHaveLength(SIZE);
    const filtered = new BufferedBytes(budgetOf(RING));
    await expect(decodeBody("br", [BROTLI_BOMB], SIZE, filtered)).rejects.toThrow(NoRoomError);
  });

  it("a brotli body waits for one of four slots, so that twelve use fewer than five ring buffers at once", async () => {
    const budget = budgetOf(1_000 * SIZE);
    const held = () => new BufferedBytes(budget);
    const bodies = Array.from({ length: 12 }, () => decodePrefix("br", BROTLI_BOMB, 1_000, held()));
    for (const { text } of await Promise.all(bodies)) expect(text).toHaveLength(1_000);
    const refused = Array.from({ length: 12 }, () => decodeBody("br", [BROTLI_BOMB], 1_000, held()));
    for (const { status } of await Promise.allSettled(refused)) expect(status).toBe("rejected");
    expect(budget.most).toBeGreaterThan(RING);
    expect(budget.most).toBeLessThan(5 * RING);
  });

  it("a brotli body without room in the budget frees its slot for the next", async () => {
    const full = new BufferedBytes(budgetOf(0));
    for (let i = 0; i < 5; i++)
      await expect(decodeBody("br", [BROTLI_BOMB], SIZE, full)).rejects.toThrow(NoRoomError);
    const decoded = await decodeBody("br", [brotli(text)], 2 * SIZE);
    expect(Buffer.concat(decoded).equals(text)).toBe(true);
  });
});
