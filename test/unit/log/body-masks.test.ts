import { describe, expect, it } from "vitest";
import { parseJsonPath } from "../../../compiler/1-parse/json-path.js";
import type { JsonPath } from "../../../runtime/abi/log.js";
import { runToCompletion } from "../../../runtime/http/time-slice.js";
import { BodyMasks } from "../../../runtime/logging/body-masks.js";
import { maskedJson } from "../../../runtime/logging/masked-json.js";
import { upTo } from "../../support/sender-context.js";

const path = (text: string) => parseJsonPath(text) as JsonPath;
const masked = (text: string, ...paths: string[]) => maskedJson(text, paths.map(path));

describe("a path of JSON", () => {
  it.each([
    ["$.a.b", ["a", "b"]],
    ["a[*].card", ["a", null, "card"]],
    ["$..token", [true, "token"]],
    ["$[0]['x y'].z", [0, "x y", "z"]],
    [`["it's"]['a\\\\b']`, ["it's", "a\\b"]],
    ["a..b[3].*", ["a", true, "b", 3, null]],
  ])("the JSON path %s has the steps %j", (text, steps) => {
    expect(parseJsonPath(text)).toEqual(steps);
  });

  it.each(["$", "", "a.", "$a", "a b", "a[-1]", "a[1:2]", "a...b", "a.[0]", "a[?(@.x)]", "[a]"])(
    "the text %s is not a JSON path",
    (text) => {
      expect(parseJsonPath(text)).toEqual(expect.any(String));
    },
  );
});

describe("JSON with masks", () => {
  it("masked JSON keeps numbers, blanks, order and escapes of the rest", () => {
    const text =
      ' {\n "n" : 12345678901234567890.10 , "a" :[ 1e2 ,{"b" : "x\\"y\\u0041" } ] ,"e":{}, "f":[] }\r\n';
    expect(masked(text, "nothing", "a[7]", "e.x", "f[0]")).toBe(text);
    expect(masked(text, "a[1].b")).toBe(text.replace('"x\\"y\\u0041"', '"***"'));
    expect(masked(text, "n", "a[0]")).toBe(
      text.replace("12345678901234567890.10", '"***"').replace("1e2", '"***"'),
    );
  });

  it("masked JSON masks both members of one name, also one whose name contains escapes", () => {
    expect(masked('{"pin":1,"a":2,"p\\u0069n":[3]}', "pin")).toBe('{"pin":"***","a":2,"p\\u0069n":"***"}');
  });

  it("masked JSON masks names at any depth, also below other matches", () => {
    expect(masked('[{"a":[{"b":1,"a":{"b":2}}]},{"b":3}]', "$..a..b")).toBe(
      '[{"a":[{"b":"***","a":{"b":"***"}}]},{"b":3}]',
    );
    expect(masked('{"x":"]}\\"","b":["]"]}', "$..b")).toBe('{"x":"]}\\"","b":"***"}');
    expect(masked('[1,[2,{"a":3}]]', "[*]")).toBe('["***","***"]');
  });

  it("masked JSON keeps a scalar that a path would have to enter", () => {
    expect(masked('{"a":"b"}', "a.b", "a[0]")).toBe('{"a":"b"}');
    expect(masked('"a"', "a", "$..a")).toBe('"a"');
  });

  it("masked JSON accepts long strings, and a text that is not JSON throws", () => {
    const long = "x".repeat(1_000_000);
    expect(masked(`{"a":"${long}","b":1}`, "b")).toBe(`{"a":"${long}","b":"***"}`);
    for (const text of ["", "{", "{'a':1}", '{"a":1}{"a":1}', "nul"])
      expect(() => masked(text, "a")).toThrow();
  });
});

describe("masks of bodies", () => {
  const masks = (paths: string[], ...patterns: RegExp[]) =>
    new BodyMasks({ paths: paths.map(path) }, patterns);
  const body = { text: '{"a":1}', coding: "", truncated: false, size: 7 };
  const shown = (by: BodyMasks, more: object, type?: string) =>
    runToCompletion(by.body({ ...body, ...more }, type));

  it("the masks of a body replace a body that cannot be inspected", () => {
    const by = masks(["a"]);
    expect(shown(by, { text: "x", coding: "br" })).toMatchObject({ text: "***", coding: "" });
    expect(shown(by, { text: `[${'"'.padEnd(1_100_000)}"]` }).text).toBe("***");
    const deep = "[".repeat(200_000) + "]".repeat(200_000);
    expect(shown(masks(["$..a"]), { text: deep }).text).toBe("***");
  });

  it("the masks of a body replace each match of a pattern, also in invalid JSON", () => {
    expect(shown(masks([], /\d+/), { text: '{"a":1, 22' }, "application/json").text).toBe('{"a":***, ***');
  });

  it.each(upTo(40).map((n) => 16_384 - 20 + n))(
    "the masks of a body replace a match at %i, where one window ends and the next begins",
    (at) => {
      const text = `${" ".repeat(at)}4111-1111-1111-1111 ${"y".repeat(20_000)} 4111111111111111`;
      const by = masks([], /\b\d{4}(?:[ -]?\d{4}){3}\b/, /(?<=y)y{3}$/);
      const [first, second] = [text.indexOf("4"), text.lastIndexOf(" ")];
      expect(shown(by, { text }).text).toBe(
        `${text.slice(0, first)}***${text.slice(first + 19, second + 1)}***`,
      );
    },
  );

  it("the masks of a body ignore an empty match and replace a long match to its end", () => {
    expect(shown(masks([], /x*/), { text: "axxb" }).text).toBe("a***b");
    expect(shown(masks([], /x+/), { text: `a${"x".repeat(50_000)}b` }).text).toMatch(/^a(?:\*\*\*)+b$/);
  });

  it("the masks of a body leave it as it is if nothing matches", () => {
    expect(shown(masks(["b"], /z/), {})).toEqual(body);
  });
});
