import "../../../plugins/index.js";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { extentOf } from "../../../compiler/2-validate/resource.js";
import { extentOfText, parseBody } from "../../../runtime/control/admin/body.js";

/** Body with a syntax error at its end: a rejection without a syntax error precedes `JSON.parse`. */
const broken = (value: unknown) => `${JSON.stringify(value).slice(0, -1)}?`;
const refusalOf = (text: string) => {
  const parsed = parseBody(text);
  return "answer" in parsed ? (parsed.answer.body as Record<string, unknown>) : undefined;
};
const zeros = (count: number) => ({ vars: Array.from({ length: count }, () => 0) });

const TOO_MANY = expect.stringMatching(
  /^split the resource: the first excess value is at line 1, column \d+$/,
) as string;

describe("a body of the admin API", () => {
  it.each<[string, unknown, number]>([
    ["numbers of a list", zeros(700_000), 700_002],
    ["empty objects", { vars: Array.from({ length: 60_001 }, () => ({})) }, 60_003],
    ["fields", Object.fromEntries(Array.from({ length: 60_001 }, (_, i) => [`l${i}`, ""])), 60_002],
    ["variables of a text", { desc: "$".repeat(60_001) }, 60_003],
  ])("a body with more than 60,000 %s is rejected before it is parsed", (_, value, count) => {
    const message = `the body contains ${count} values and variables; the limit is 60000`;
    expect(refusalOf(broken(value))).toEqual({
      error_msg: `invalid configuration: ${message}`,
      diagnostics: [{ code: "GW2138", severity: "error", message, notes: [], help: TOO_MANY }],
    });
  });

  it("a body with 60,000 values is parsed", () => {
    expect(parseBody(JSON.stringify(zeros(59_998)))).toEqual({ value: zeros(59_998) });
    expect(refusalOf(broken(zeros(59_998)))?.["error_msg"]).toMatch(/^invalid request body: /);
  });

  it("a body with more than 1,000 levels is rejected before it is parsed", () => {
    const nested = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;
    const message = "invalid request body: nested more than 1000 deep, at line 1, column 1001";
    expect(refusalOf(nested(100_000).slice(1))?.["error_msg"]).toBe(message);
    expect(refusalOf(nested(1_001))?.["error_msg"]).toBe(message);
    expect(parseBody(nested(1_000))).toHaveProperty("value");
  });

  it("the text of a body has as many values as the compiler counts in the resource, with any white space", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(undefined, 2, "\t"), (value, space) => {
        // A repeated name would change the count; `JSON.stringify` never writes one.
        const text = JSON.stringify(value, null, space);
        expect(extentOfText(text).values).toBe(extentOf(JSON.parse(text)).values);
      }),
    );
    expect(extentOfText('{ "a\\"$": [ ], "$b": "\\\\", "c": [{ }, "]$["] }').values).toBe(9);
  });
});
