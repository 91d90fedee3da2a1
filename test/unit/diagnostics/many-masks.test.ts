import { expect, it, vi } from "vitest";
import { nearest } from "../../../compiler/diagnostics/nearest.js";
import type { Span } from "../../../compiler/model/diagnostic.js";
import { MaskedLines } from "../../../compiler/report/text.js";

const mask = (from: number, to: number): Span => ({
  file: "g.json",
  start: { line: 1, column: from + 1 },
  end: { line: 1, column: to + 1 },
});

it("the 500 secrets of one line are masked once, although 500 diagnostics show the line", () => {
  const text = "ab ".repeat(500);
  const masks = Array.from({ length: 500 }, (_, i) => mask(3 * i, 3 * i + 1));
  const lines = new MaskedLines([{ name: "g.json", text, format: "json" }], masks);
  const split = vi.spyOn(String.prototype, "split");
  const shown = Array.from({ length: 500 }, () => lines.at("g.json", 1));
  const passes = split.mock.calls.length;
  split.mockRestore();
  expect(passes).toBeLessThan(510);
  expect(new Set(shown)).toEqual(new Set(["*b ".repeat(500)]));
});

it("overlapping secrets are masked in any order", () => {
  const lines = new MaskedLines(
    [{ name: "g.json", text: "abcdefgh", format: "json" }],
    [mask(4, 6), mask(1, 3), mask(2, 5), mask(1, 3)],
  );
  expect(lines.at("g.json", 1)).toBe("a*****gh");
});

it("nearest returns the first of the nearest names, or undefined if none is near", () => {
  expect(nearest("service1", ["servers12", "servicex1", "service2", "service-1"])).toBe("servicex1");
  expect(nearest("up_stream", ["upstream", "up-stream", "up_stream"])).toBe("up-stream");
  expect(nearest("abcdef", ["ghijkl", "badcfe"])).toBeUndefined();
});
