import { describe, expect, it } from "vitest";
import { logLine } from "../../../runtime/process/log.js";

describe("a line of the log", () => {
  it("is JSON as it is where it is short", () => {
    expect(logLine({ event: "x", reason: "y" })).toBe('{"event":"x","reason":"y"}');
  });

  it("cuts long texts so that a pattern of 60,000 characters does not fill the log", () => {
    const line = logLine({ event: "module_failed", reason: `/${"a".repeat(60_000)}/: too large` });
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(8_192);
    expect(JSON.parse(line)).toMatchObject({
      event: "module_failed",
      reason: expect.stringContaining("(60013 characters)"),
    });
  });

  it("stays below 8 kB with many long texts and lists, too", () => {
    const lists = Array.from({ length: 500 }, (_, i) => `${i}${"é".repeat(100)}`);
    const line = logLine({
      event: "x",
      lists,
      ...Object.fromEntries(lists.map((text, i) => [`k${i}`, text])),
    });
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(8_192);
    expect(JSON.parse(line)).toMatchObject({ event: "x", cut_from_bytes: expect.any(Number) });
  });
});
