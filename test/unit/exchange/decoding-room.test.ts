import { execFileSync } from "node:child_process";
import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { BufferedBytes } from "../../../runtime/abi/buffered-bytes.js";
import { decodePrefix } from "../../../runtime/http/body-prefix.js";
import { ringOf } from "../../../runtime/http/coding-window.js";
import { decodeBody, NoRoomError } from "../../../runtime/http/content-encoding.js";
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
/** Bytes that a decoder may make at a time. */
const AHEAD = 524_288;

/** A budget that knows the most that was ever counted. */
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
  it("counts as held before its text is there, and no more than its text in the end", async () => {
    const budget = budgetOf(10 * SIZE);
    const held = new BufferedBytes(budget);
    await decodeBody(coding, [code(text)], 2 * SIZE, held);
    expect(budget.bufferedBytes).toBe(SIZE);
    expect(budget.most).toBeGreaterThan(SIZE);
    expect(budget.most).toBeLessThanOrEqual(SIZE + AHEAD);
    held.release();
    expect(budget.bufferedBytes).toBe(0);
  });

  it("counts a short text too", async () => {
    const budget = budgetOf(10 * SIZE);
    const held = new BufferedBytes(budget);
    await decodeBody(coding, [code(text.subarray(0, 1_000))], SIZE, held);
    expect(budget.bufferedBytes).toBe(1_000);
  });

  it("is refused where the process has no room for its text, which is never exceeded", async () => {
    for (const limit of [0, 600_000, SIZE]) {
      const budget = budgetOf(limit);
      const held = new BufferedBytes(budget);
      await expect(decodeBody(coding, [code(text)], 2 * SIZE, held)).rejects.toThrow(NoRoomError);
      expect(budget.most).toBeLessThanOrEqual(limit);
      held.release();
      expect(budget.bufferedBytes).toBe(0);
    }
  });

  it("counts what is on the way to a nested coding's text until it is decoded", async () => {
    const budget = budgetOf(10 * SIZE);
    await decodeBody(`${coding}, gzip`, [gzipSync(code(text))], 2 * SIZE, new BufferedBytes(budget));
    expect(budget.bufferedBytes).toBe(SIZE);
  });

  it("is cut for a log where there is no more room, and counts what is left of it", async () => {
    const budget = budgetOf(600_000);
    const held = new BufferedBytes(budget);
    const found = await decodePrefix(coding, code(text), 2 * SIZE, held);
    expect(found.whole).toBe(false);
    expect(found.text.length).toBeGreaterThan(0);
    expect(found.text.equals(text.subarray(0, found.text.length))).toBe(true);
    expect(budget.bufferedBytes).toBe(found.text.length);
    expect(budget.most).toBeLessThanOrEqual(600_000);
  });

  it("stays as it is for a log where there is no room at all", async () => {
    const budget = budgetOf(1_000);
    const coded = code(text).toString("latin1");
    const body = await loggedBody({ ...wholeBody(coded, coding), budget }, SIZE);
    expect(body).toEqual({ text: coded, coding, truncated: false, size: coded.length });
    expect(budget.bufferedBytes).toBe(0);
  });

  it("counts for a log until its record is made, within half of the budget", async () => {
    const budget = budgetOf(3 * SIZE);
    const body = await loggedBody({ ...wholeBody(code(text).toString("latin1"), coding), budget }, SIZE);
    expect(body.text).toHaveLength(SIZE);
    expect(budget.bufferedBytes).toBe(SIZE);
    body.held?.release();
    expect(budget.bufferedBytes).toBe(0);
  });
});

describe("the ring of a decoder", () => {
  it.each([10, 16, 17, 18])("is brotli's window where the text is longer: 2 to the power of %i", (bits) => {
    const window = 2 ** bits;
    expect(ringOf("br", brotli(text, bits))).toEqual({ first: window, ahead: window, most: window });
  });

  it.each([22, 24])(
    "is no longer than a text of one block of brotli with a window of 2 to the power of %i",
    (bits) => {
      const short = brotli(text.subarray(0, 1_000), bits);
      expect(ringOf("br", short)).toEqual({ first: 1_000, ahead: 1_000, most: 1_000 });
    },
  );

  it("is no longer than a text that brotli leaves as it is", () => {
    expect(ringOf("br", brotli(Buffer.from("hello"))).most).toBe(5);
    const noise = Buffer.from(Array.from({ length: 3_000 }, (_, i) => (i * i * 2_654_435_761) >>> 13));
    expect(ringOf("br", brotli(noise)).most).toBe(3_000);
    expect(ringOf("br", brotli(Buffer.alloc(0))).most).toBe(0);
  });

  it("is not known beyond the first block of brotli, and not where its header has not come", async () => {
    const flushed = await flushedBrotli(text.subarray(0, 1_000));
    expect(ringOf("br", flushed)).toEqual({ first: 1_000, ahead: 2 ** 22, most: 2 ** 22 });
    expect(ringOf("br", flushed.subarray(0, 2)).first).toBe(2 ** 22);
    expect(ringOf("br", BROTLI_BOMB)).toEqual({ first: 2 ** 24, ahead: 2 ** 24, most: 2 ** 24 });
  });

  it("is at most 8 MiB for zstd, and nothing that counts for gzip", () => {
    expect(ringOf("zstd", zstd(text)).most).toBeLessThanOrEqual(8_388_608);
    expect(ringOf("gzip", gzipSync(text)).most).toBe(0);
  });
});

describe("a body of brotli that makes 16 MB before it gives any", () => {
  const RING = 2 ** 24;

  it("is decoded off the event loop although it has 14 bytes, its ring counted", async () => {
    const budget = budgetOf(20 * SIZE);
    const decoding = decodePrefix("br", BROTLI_BOMB, SIZE, new BufferedBytes(budget));
    expect(budget.bufferedBytes).toBeGreaterThanOrEqual(RING);
    expect((await decoding).text).toHaveLength(SIZE);
    const filtered = new BufferedBytes(budgetOf(RING));
    await expect(decodeBody("br", [BROTLI_BOMB], SIZE, filtered)).rejects.toThrow(NoRoomError);
  });

  it("waits for one of four places, so that many at once keep no more than four rings", async () => {
    const budget = budgetOf(1_000 * SIZE);
    const held = () => new BufferedBytes(budget);
    const bodies = Array.from({ length: 12 }, () => decodePrefix("br", BROTLI_BOMB, 1_000, held()));
    for (const { text } of await Promise.all(bodies)) expect(text).toHaveLength(1_000);
    const refused = Array.from({ length: 12 }, () => decodeBody("br", [BROTLI_BOMB], 1_000, held()));
    for (const { status } of await Promise.allSettled(refused)) expect(status).toBe("rejected");
    expect(budget.most).toBeGreaterThan(RING);
    expect(budget.most).toBeLessThan(5 * RING);
  });

  it("gives its place to the next when there is no room for it", async () => {
    const full = new BufferedBytes(budgetOf(0));
    for (let i = 0; i < 5; i++)
      await expect(decodeBody("br", [BROTLI_BOMB], SIZE, full)).rejects.toThrow(NoRoomError);
    const decoded = await decodeBody("br", [brotli(text)], 2 * SIZE);
    expect(Buffer.concat(decoded).equals(text)).toBe(true);
  });
});
