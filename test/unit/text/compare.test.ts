import { describe, expect, it } from "vitest";
import { matches, oneOf, toNumber } from "../../../runtime/abi/text/compare.js";
import { fieldText } from "../../../runtime/abi/text/field.js";
import { filter } from "../../../runtime/abi/text/filter.js";

describe("the number of a variable's value", () => {
  it.each([
    ["5", 5],
    [" -1.5e3 ", -1500],
    [".5", 0.5],
    [7, 7],
  ])("the value %j is the number %d", (value, expected) => {
    expect(toNumber(value)).toBe(expected);
  });

  it.each(["", " ", "abc", "0x10", "1,5", "Infinity", "5 6", undefined])(
    "the value %j is no number",
    (value) => {
      expect(toNumber(value)).toBeNaN();
    },
  );
});

describe("patterns and lists over variables that may be absent", () => {
  it("an absent variable matches no pattern and no list", () => {
    expect(matches(/^/, undefined)).toBe(false);
    expect(oneOf("a").has(undefined)).toBe(false);
  });

  it("a pattern matches numbers by their digits, and UTF-8 by its characters if that is set", () => {
    expect(matches(/^2/, 204)).toBe(true);
    expect(matches(/^.$/u, "\xc3\xa9", true)).toBe(true);
    expect(matches(/^.$/, "\xc3\xa9")).toBe(false);
  });
});

describe("header values", () => {
  it("a header value has control characters percent-encoded and outer blanks removed, and nothing else", () => {
    expect(fieldText("a\r\nSet-Cookie: b\0")).toBe("a%0D%0ASet-Cookie: b%00");
    // Long values are scanned in another way.
    expect(fieldText(`${"a".repeat(40)}\r\n\x7f`)).toBe(`${"a".repeat(40)}%0D%0A%7F`);
    expect(fieldText(`\t${"a".repeat(40)}\tb `)).toBe(`${"a".repeat(40)}\tb`);
    expect(fieldText(" \tblanks around \t")).toBe("blanks around");
    expect(fieldText("tab\tand \xe9")).toBe("tab\tand \xe9");
  });
});

describe("body filters", () => {
  it("a body filter has no body limit if every rule streams, unless a limit is set", () => {
    const rule = { pattern: /a/, replacement: "", window: 1 };
    expect(filter([rule]).maxBytes).toBe(Number.POSITIVE_INFINITY);
    expect(filter([rule], { maxBytes: 10 }).maxBytes).toBe(10);
    expect(filter([rule, { pattern: /a.*/, replacement: "" }]).open).toBeUndefined();
  });

  it("a rule of a body filter sees a character whose bytes an earlier rule has joined", () => {
    const rules = [
      { pattern: /x/gu, replacement: "", utf8: true },
      { pattern: /\xe9/gu, replacement: "e", utf8: true },
    ];
    expect(filter(rules).apply("\xc3x\xa9")).toBe("e");
  });

  it("a body filter that buffers has the defaults 64 MiB and oversize refuse", () => {
    const rule = { pattern: /a.*/, replacement: "" };
    expect(filter([rule])).toMatchObject({ maxBytes: 67_108_864, oversize: "refuse" });
    expect(filter([rule], { maxBytes: 10, oversize: "pass" })).toMatchObject({
      maxBytes: 10,
      oversize: "pass",
    });
  });
});
