import { describe, expect, it } from "vitest";
import { logLine, reportLines } from "../../../runtime/process/log.js";

describe("a line of the log", () => {
  it("a short log line is plain JSON", () => {
    expect(logLine({ event: "x", reason: "y" })).toBe('{"event":"x","reason":"y"}');
  });

  it("a log line cuts long texts, so that a pattern of 60,000 characters does not fill the log", () => {
    const line = logLine({ event: "module_failed", reason: `/${"a".repeat(60_000)}/: too large` });
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(8_192);
    expect(JSON.parse(line)).toMatchObject({
      event: "module_failed",
      reason: expect.stringContaining("(60013 characters)"),
    });
  });

  it("a log line stays below 8 kB with many long texts and lists", () => {
    const lists = Array.from({ length: 500 }, (_, i) => `${i}${"é".repeat(100)}`);
    const line = logLine({
      event: "x",
      lists,
      ...Object.fromEntries(lists.map((text, i) => [`k${i}`, text])),
    });
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(8_192);
    expect(JSON.parse(line)).toMatchObject({ event: "x", cut_from_bytes: expect.any(Number) });
  });

  it.each(["\u0001", "ж", "\ud83d\ude00"])(
    "a log line counts the bytes of its JSON, of which %j takes several",
    (character) => {
      const texts = Array.from({ length: 8 }, (_, i) => [`k${i}`, character.repeat(3_000)]);
      const line = logLine({ event: "x", ...Object.fromEntries(texts) });
      expect(Buffer.byteLength(line)).toBeLessThanOrEqual(8_192);
      expect(JSON.parse(line)).toMatchObject({ event: "x" });
    },
  );

  it("a log line stays below 8 kB with a long field name", () => {
    expect(Buffer.byteLength(logLine({ event: "x", ["k".repeat(20_000)]: 1 }))).toBeLessThanOrEqual(8_192);
  });
});

describe("reports of diagnostics", () => {
  it("a short report of diagnostics is unchanged", () => {
    expect(reportLines("one\ntwo")).toBe("one\ntwo");
  });

  it("a report of diagnostics has lines of at most 8 kB", () => {
    const lines = reportLines(`a\n${"é".repeat(60_000)}\nb`).split("\n");
    expect(lines).toHaveLength(3);
    expect(Math.max(...lines.map((line) => Buffer.byteLength(line)))).toBeLessThanOrEqual(8_192);
  });

  it("a long report of diagnostics is cut and gives the number of missing lines", () => {
    const report = reportLines(Array.from({ length: 50_000 }, (_, i) => `finding ${i}`).join("\n"));
    expect(Buffer.byteLength(report)).toBeLessThanOrEqual(65_536);
    expect(report).toMatch(/^finding 0\n/);
    expect(report).toMatch(/\n… \d+ more lines: run gwc check$/);
  });
});
