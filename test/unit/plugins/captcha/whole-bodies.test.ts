import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FormFieldResult } from "../../../../plugins/captcha/runtime/form-field-result.js";
import { memberOfJson } from "../../../../plugins/captcha/runtime/json-member.js";
import { bodyKind, fieldOfForm } from "../../../../plugins/captcha/runtime/token.js";

const bytes = (text: string) => Buffer.from(text, "utf8");

/** The token in a body, and the rest of the body. */
function split(body: string, found: FormFieldResult): [string | FormFieldResult, string] {
  if (found.kind === "unreadable") return [found, body];
  let rest = Buffer.alloc(0);
  let from = 0;
  const all = bytes(body);
  for (const { start, end } of found.cuts) {
    rest = Buffer.concat([rest, all.subarray(from, start)]);
    from = end;
  }
  return [found.kind === "token" ? found.token : "", Buffer.concat([rest, all.subarray(from)]).toString()];
}

describe("a token in a urlencoded form", () => {
  const form = (body: string) => split(body, fieldOfForm(bytes(body), "captcha-token"));

  it.each([
    ["captcha-token=t", "t", ""],
    ["a=1&captcha-token=t", "t", "a=1"],
    ["captcha-token=t&a=1", "t", "a=1"],
    ["a=1&captcha-token=t&b=2", "t", "a=1&b=2"],
    ["a=%zz&captcha-token=t&&b=+", "t", "a=%zz&&b=+"],
    ["%63aptcha%2dtoken=a%2Eb", "a.b", ""],
    ["captcha-token=a+b%20c", "a b c", ""],
    ["captcha-token=&a=1&captcha-token=t&captcha-token", "t", "a=1"],
    ["captcha-token=a=b&c", "a=b", "c"],
    ["captcha-token", "", ""],
    ["captcha-token=", "", ""],
    [
      "captcha-tokens=t&Captcha-Token=t&x=captcha-token",
      "",
      "captcha-tokens=t&Captcha-Token=t&x=captcha-token",
    ],
    ["", "", ""],
    ["é=1&captcha-token=t", "t", "é=1"],
  ])("the form %s yields its token and its rest", (body, token, rest) => {
    expect(form(body)).toEqual([token, rest]);
  });

  it("a form with two token values is rejected", () => {
    expect(form("captcha-token=a&captcha-token=b")[0]).toEqual({
      kind: "unreadable",
      reason: "field_repeated",
    });
    expect(form("captcha-token=a&%63aptcha-token=a")[0]).toMatchObject({ reason: "field_repeated" });
  });

  it("all other pairs of a form stay unchanged", () => {
    const pair = fc.constantFrom(
      "a=1",
      "b",
      "",
      "=",
      "captcha-token=",
      "%=%",
      "captcha+token=x",
      "captcha-token",
    );
    fc.assert(
      fc.property(fc.array(pair), fc.array(pair), (before, after) => {
        const body = [...before, "captcha-token=t", ...after].join("&");
        const isOwn = (one: string) => one === "captcha-token=" || one === "captcha-token";
        const others = [...before, ...after].filter((one) => !isOwn(one));
        expect(form(body)).toEqual(["t", others.join("&")]);
      }),
    );
  });
});

describe("a token in JSON", () => {
  const json = (body: string, path = ["token"]) => split(body, memberOfJson(bytes(body), path));

  it.each([
    ['{"token":"t"}', "t", "{}"],
    [' { "token" : "t" } ', "t", " {  } "],
    ['{"a":1,"token":"t"}', "t", '{"a":1}'],
    ['{"token":"t","a":1}', "t", '{"a":1}'],
    ['{"a":1 , "token":"t" , "b":2}', "t", '{"a":1 ,  "b":2}'],
    ['{"\\u0074oken":"\\u0061\\/b"}', "a/b", "{}"],
    ['{"token":null}', "", "{}"],
    ['{"token":""}', "", "{}"],
    ['{"x":{"token":"t"}}', "", '{"x":{"token":"t"}}'],
    ['{"x":"\\"token\\":\\"t\\"","token":"t"}', "t", '{"x":"\\"token\\":\\"t\\""}'],
    ["[]", "", "[]"],
    ['"token"', "", '"token"'],
    ['{"n":12345678901234567890.0e+5,"token":"t","é":"é"}', "t", '{"n":12345678901234567890.0e+5,"é":"é"}'],
    ['{"x":{"token":"a","token":"b"},"token":"t"}', "t", '{"x":{"token":"a","token":"b"}}'],
  ])("the JSON %s yields its token and its rest", (body, token, rest) => {
    expect(json(body)).toEqual([token, rest]);
  });

  it("a pointer finds a token in nested objects", () => {
    expect(json('{"a":{"b":{"c":"t","d":1}}}', ["a", "b", "c"])).toEqual(["t", '{"a":{"b":{"d":1}}}']);
    expect(json('{"a":[{"b":"t"}]}', ["a", "0", "b"])[0]).toBe("");
    expect(json('{"a":"b"}', ["a", "b"])[0]).toBe("");
    expect(json('{"__proto__":{"token":"t"}}', ["constructor", "name"])[0]).toBe("");
    expect(json('{"__proto__":{"token":"t"}}', ["__proto__", "token"])).toEqual(["t", '{"__proto__":{}}']);
  });

  it.each<readonly [string, string]>([
    ['{"token":"a","token":"b"}', "field_repeated"],
    ['{"token":"a","\\u0074oken":"a"}', "field_repeated"],
    ['{"token":7}', "not_a_text"],
    ['{"token":["t"]}', "not_a_text"],
    ['{"token":true}', "not_a_text"],
    ...["", "{", '{"token":"t"', '{"token":"t",}', '{"token":"t"}}', "{token:1}", "{'token':'t'}"].map(
      (body) => [body, "malformed_body"] as const,
    ),
    ...['{"token":"\n"}', '{"token":"\\x"}', '{"a":01,"token":"t"}', '{"a":+1}', "\ufeff{}", '{"a":NaN}'].map(
      (body) => [body, "malformed_body"] as const,
    ),
    [`{"a":${"[".repeat(200)}${"]".repeat(200)},"token":"t"}`, "malformed_body"],
  ])("the JSON %s is rejected: %s", (body, reason) => {
    expect(json(body)[0]).toEqual({ kind: "unreadable", reason });
  });

  it("a repeated name in the path of a pointer is rejected", () => {
    expect(json('{"a":{"t":"x"},"a":{"t":"y"}}', ["a", "t"])[0]).toMatchObject({ reason: "field_repeated" });
  });

  it("the JSON reader accepts exactly the texts that JSON.parse accepts", () => {
    const noise = fc.stringMatching(/^[{}[\],:"\\ntrue0-9.eE+\- ]{0,30}$/);
    const texts = fc.oneof(
      fc.json(),
      noise,
      fc.json().map((text) => text.slice(0, -1)),
    );
    fc.assert(
      fc.property(texts, (text) => {
        let isJson = true;
        try {
          JSON.parse(text);
        } catch {
          isJson = false;
        }
        const found = memberOfJson(bytes(text), ["no such member"]);
        expect(found.kind === "none").toBe(isJson);
      }),
      { numRuns: 2_000 },
    );
  });

  it("JSON keeps all other members", () => {
    const values = fc.dictionary(fc.stringMatching(/^[a-z"\\é]{0,4}$/), fc.jsonValue({ maxDepth: 2 }), {
      maxKeys: 6,
    });
    fc.assert(
      fc.property(values, fc.nat(6), fc.constantFrom(0, 1, 2), (members, at, indent) => {
        const entries = Object.entries(members).filter(([name]) => name !== "token");
        const place = at % (entries.length + 1);
        const all = [...entries.slice(0, place), ["token", "t"] as const, ...entries.slice(place)];
        // Integer-like names would move to the front.
        const body = JSON.stringify(Object.fromEntries(all), undefined, indent);
        const [token, rest] = json(body);
        expect(token).toBe("t");
        expect(JSON.parse(rest)).toEqual(JSON.parse(JSON.stringify(Object.fromEntries(entries))));
      }),
    );
  });
});

describe("the kind of a body", () => {
  it.each([
    ["application/x-www-form-urlencoded", { place: "form" }],
    ["Application/X-WWW-Form-Urlencoded; charset=utf-8", { place: "form" }],
    ["application/json", { place: "json" }],
    ["application/vnd.api+json;version=1", { place: "json" }],
    ["multipart/form-data; boundary=abc", { place: "multipart", boundary: "abc" }],
    ['multipart/form-data; charset=x; boundary="a b:c"', { place: "multipart", boundary: "a b:c" }],
    ["multipart/form-data; Boundary=abc ; x=1", { place: "multipart", boundary: "abc" }],
    ["multipart/form-data", undefined],
    ['multipart/form-data; boundary=""', undefined],
    [`multipart/form-data; boundary=${"x".repeat(71)}`, undefined],
    ["multipart/mixed; boundary=abc", undefined],
    ["application/jsonp", undefined],
    ["text/plain", undefined],
    ["application/json, application/x-www-form-urlencoded", undefined],
    [undefined, undefined],
  ])("the Content-Type %s selects the kind of the body", (contentType, kind) => {
    expect(bodyKind(contentType)).toEqual(kind);
  });
});

describe("bodies of eight times the largest configurable size", () => {
  const size = 8_388_608;

  // Quadratic time, or a stack frame for each character, takes hours here or fails.
  it.each([
    ["a form of nothing but &", "&".repeat(size)],
    ["a form of escapes", "%61&".repeat(size / 4)],
    ["a form with one =", `${"a&".repeat(size / 2 - 1)}=`],
    ["one name", "a".repeat(size)],
  ])("a large form is read in linear time: %s", (_, body) => {
    expect(fieldOfForm(bytes(body), "captcha-token").kind).toBe("none");
  });

  it.each([
    ["one text", `{"a":"${"x".repeat(size)}"}`],
    ["one text of escapes", `{"a":"${"\\n".repeat(size / 2)}"}`],
    ["many members", `{${'"a":1,'.repeat(size / 6)}"b":2}`],
    ["a long number", `{"a":${"1".repeat(size)}}`],
    ["blanks", `{${" ".repeat(size)}}`],
    ["a long list", `[${"[],".repeat(size / 3)}[]]`],
  ])("large JSON is read in linear time: %s", (_, body) => {
    expect(memberOfJson(bytes(body), ["token"]).kind).toBe("none");
  });
});
