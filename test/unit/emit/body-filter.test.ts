import { describe, expect, it } from "vitest";
import type { BodyFilter, Exchange } from "../../../runtime/abi/exchange.js";
import { loaded, planned } from "../plan/planned.js";

function filtered(filters: object[], body: string, more: object = {}): string {
  const { codes, pipeline } = planned({ plugins: { "response-rewrite": { filters, ...more } } });
  expect(codes).toEqual([]);
  if (pipeline === undefined) throw new Error("no pipeline");
  let filter: BodyFilter | undefined;
  const response = {
    filterBody: (asked: BodyFilter) => {
      filter = asked;
    },
  };
  loaded(pipeline).headerFilter?.({ response } as unknown as Exchange);
  return filter?.apply(body) ?? "";
}

describe("body filters as code", () => {
  it("a digit behind a capture in a replacement is not part of its number", () => {
    expect(filtered([{ regex: "(a)", replace: "${1}0$1" }], "a")).toBe("a0a");
    expect(filtered([{ regex: "(a)(b)", replace: "$2${1}2" }], "ab")).toBe("ba2");
  });

  it("dollar patterns of JavaScript in a replacement are literal text", () => {
    expect(filtered([{ regex: "a", replace: "$$& $$` $$' $$1 $$<n> $$$$" }], "a")).toBe(
      "$& $` $' $1 $<n> $$",
    );
  });

  it("a replacement reads captures above 99", () => {
    const regex = `${"(x)?".repeat(99)}(a)(b)`;
    expect(filtered([{ regex, replace: "$101$100$1", allow_slow: true }], "ab")).toBe("ba");
  });

  it("a rule with option u sees characters and others see bytes, in any order", () => {
    const utf8 = { regex: "^.", replace: "ü", options: "u" };
    const byte = { regex: "^.", replace: "<" };
    expect(filtered([utf8, utf8], "\xc3\xa9x")).toBe("\xc3\xbcx");
    expect(filtered([byte], "\xc3\xa9x")).toBe("<\xa9x");
    expect(filtered([utf8, byte, utf8], "\xc3\xa9x")).toBe("\xc3\xbc\xbcx");
  });

  it("the rules of a body filter run in order, once or for all matches, also on an empty body", () => {
    const rules = [
      { regex: "a", replace: "b" },
      { regex: "b", replace: "c", scope: "global" },
    ];
    expect(filtered(rules, "aab")).toBe("cac");
    expect(filtered([{ regex: "^$", replace: "empty" }], "")).toBe("empty");
  });
});
