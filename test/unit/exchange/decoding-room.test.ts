import { execFileSync } from "node:child_process";
import { deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { HeldBytes } from "../../../runtime/abi/held-bytes.js";
import { decodePrefix } from "../../../runtime/http/body-prefix.js";
import { windowOf } from "../../../runtime/http/coding-window.js";
import { decodeBody, NoRoomError } from "../../../runtime/http/content-encoding.js";
import { loggedBody } from "../../../runtime/logging/body-text.js";
import { brotli, textOf } from "../../support/coded-bodies.js";
import { wholeBody } from "../../support/finished-exchange.js";

const zstd = (text: Buffer) => execFileSync("zstd", ["-q", "-c"], { input: text, maxBuffer: 16_777_216 });
const CODINGS: [coding: string, code: (text: Buffer) => Buffer][] = [
  ["gzip", (text) => gzipSync(text)],
  ["deflate", (text) => deflateSync(text)],
  ["br", (text) => brotli(text)],
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
    const held = new HeldBytes(budget);
    await decodeBody(coding, [code(text)], 2 * SIZE, held);
    expect(budget.bufferedBytes).toBe(SIZE);
    expect(budget.most).toBeGreaterThan(SIZE);
    expect(budget.most).toBeLessThanOrEqual(SIZE + AHEAD);
    held.release();
    expect(budget.bufferedBytes).toBe(0);
  });

  it("counts a short text too", async () => {
    const budget = budgetOf(10 * SIZE);
    const held = new HeldBytes(budget);
    await decodeBody(coding, [code(text.subarray(0, 1_000))], SIZE, held);
    expect(budget.bufferedBytes).toBe(1_000);
  });

  it("is refused where the process has no room for its text, which is never exceeded", async () => {
    for (const limit of [0, 600_000, SIZE]) {
      const budget = budgetOf(limit);
      const held = new HeldBytes(budget);
      await expect(decodeBody(coding, [code(text)], 2 * SIZE, held)).rejects.toThrow(NoRoomError);
      expect(budget.most).toBeLessThanOrEqual(limit);
      held.release();
      expect(budget.bufferedBytes).toBe(0);
    }
  });

  it("counts what is on the way to a nested coding's text until it is decoded", async () => {
    const budget = budgetOf(10 * SIZE);
    await decodeBody(`${coding}, gzip`, [gzipSync(code(text))], 2 * SIZE, new HeldBytes(budget));
    expect(budget.bufferedBytes).toBe(SIZE);
  });

  it("is cut for a log where there is no more room, and counts what is left of it", async () => {
    const budget = budgetOf(600_000);
    const held = new HeldBytes(budget);
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

describe("the window of a decoder", () => {
  it.each([10, 16, 17, 18, 22, 24])("is read from brotli's first byte: 2 to the power of %i", (bits) => {
    expect(windowOf("br", brotli(text, bits))).toBe(2 ** bits);
  });

  it("is at most 8 MiB for zstd, and nothing that counts for gzip", () => {
    expect(windowOf("zstd", zstd(text))).toBeLessThanOrEqual(8_388_608);
    expect(windowOf("gzip", gzipSync(text))).toBe(0);
  });
});
