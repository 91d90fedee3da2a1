import { describe, expect, it } from "vitest";
import { regularParts } from "../../../compiler/regex/cost/regular.js";
import { shapeOf } from "../../../compiler/regex/cost/shape.js";
import { worstCaseOf } from "../../../compiler/regex/cost/worst-case.js";
import { parseRegex } from "../../../compiler/regex/translate.js";

function nodeOf(pattern: string, options = "") {
  const node = parseRegex(pattern, options);
  if (node === undefined) throw new Error(`/${pattern}/ is not translated`);
  return node;
}

const keyOf = (pattern: string, options = "") => shapeOf(regularParts(nodeOf(pattern, options))[0].part)?.key;

describe("the shape of a pattern", () => {
  it.each([
    ["node-12-[0-9]+", "disk_34_[0-9]+"],
    ["ab", "xy"],
    ["[a-f]+x", "[0-3]+!"],
    ["^a\\b", "^z\\b"],
    ["(?>a+)b", "(?>c+)d"],
  ])("the shape of /%s/ is that of /%s/", (one, other) => {
    expect(keyOf(one)).toBe(keyOf(other));
  });

  it.each([
    ["a text that meets itself", "aa", "ab"],
    ["a character of its class", "a-[0-9]+", "7-[0-9]+"],
    ["sets that overlap", "[a-f]+[d-h]", "[a-c]+[d-h]"],
    ["a word before a boundary", "a\\b", "-\\b"],
    ["a line feed before the end of a line", "(?m)\\n$", "(?m)a$"],
    ["another count", "a{3}", "a{4}"],
    ["a possessive run", "a++b", "a+b"],
  ])("the shape differs with %s: /%s/, /%s/", (_, one, other) => {
    expect(keyOf(one)).not.toBe(keyOf(other));
  });

  it.each(["node-12-[0-9]+", "(\\w+\\s?)*x", "\\ba[^b]*\\n$", "[^\\x00-\\xff]a|[a-z0-9_]+\\b."])(
    "the shape of /%s/ stays the same when its pattern is rebuilt from the shape",
    (pattern) => {
      for (const { part } of regularParts(nodeOf(pattern))) {
        const shape = shapeOf(part);
        expect(shape && shapeOf(shape.part())?.key).toBe(shape?.key);
        expect(shape).toBeDefined();
      }
    },
  );

  it("a pattern with more than 50 different sets of characters has no shape", () => {
    const classes = (count: number) =>
      Array.from({ length: count }, (_, i) => `[^${String.fromCodePoint(0x4e00 + i)}]`).join("");
    expect(keyOf(classes(50), "u")).toBeDefined();
    expect(keyOf(classes(51), "u")).toBeUndefined();
    expect(keyOf(classes(50) + classes(50), "u")).toBeDefined();
  });

  it("the bounds of patterns with one shape are equal, and another shape in between does not change them", () => {
    const bounds = (pattern: string) =>
      worstCaseOf(nodeOf(pattern))
        .parts.flat()
        .map((bound) => bound.kind === "bounded" && bound.factors);
    const first = bounds("key=[a-m]+(?:[k-z]+;)*!");
    expect(first.length).toBeGreaterThan(0);
    expect(bounds("BUS#[0-4]+(?:[3-9]+,)*-")).not.toEqual(first);
    expect(bounds("KEY=[A-M]+(?:[K-Z]+;)*!")).toEqual(first);
  });
});
