import { describe, expect, it } from "vitest";
import { utf8 } from "../../../runtime/abi/text/bytes.js";
import { RequestData } from "../../../runtime/proxy/exchange/request-data.js";

const json = (value: unknown) => new RequestData("application/json", utf8(JSON.stringify(value)));
const form = (body: string) => new RequestData("application/x-www-form-urlencoded; charset=utf-8", body);

describe("post_arg_<name>", () => {
  it.each([
    ["a=1&b=2", "b", "2"],
    ["a=1&a=2", "a", "1"],
    ["a", "a", ""],
    ["a=b+c%21%C3%A9", "a", "b c!\xc3\xa9"],
    ["a%5B0%5D=x", "a[0]", "x"],
    ["a=1", "b", undefined],
    ["", "a", undefined],
  ])("post_arg_<name> of %s: %s is %s", (body, name, value) => {
    expect(form(body).formField(name)).toBe(value);
  });

  it("post_arg_<name> is absent in a body of another type", () => {
    expect(new RequestData("text/plain", "a=1").formField("a")).toBeUndefined();
    expect(new RequestData("", "a=1").formField("a")).toBeUndefined();
  });
});

describe("post_arg.<path>", () => {
  const data = json({
    model: "m",
    n: 1.5,
    yes: true,
    no: null,
    deep: { er: { x: "y" } },
    list: [{ id: 1 }, { id: 2, tags: ["a", "b"] }],
    é: "ü",
  });

  it.each([
    ["model", "m"],
    ["n", "1.5"],
    ["yes", "true"],
    ["no", undefined],
    ["none", undefined],
    ["deep.er.x", "y"],
    ["deep.er", '{"x":"y"}'],
    ["model.length", undefined],
    ["list.1.id", "2"],
    ["list[0].id", "[1]"],
    ["list[-1].id", "[2]"],
    ["list[*].id", "[1,2]"],
    ["list.*.id", "[1,2]"],
    ["list[1]['tags'][0]", '["a"]'],
    ["$.list[1].tags[*]", '["a","b"]'],
    ["..id", "[1,2]"],
    ["list[9]", undefined],
    ["list[", undefined],
    ["list[?(@.id==1)]", undefined],
    [utf8("é"), utf8("ü")],
  ])("post_arg.<path> for %s is %s", (path, value) => {
    expect(data.value(path)).toBe(value);
  });

  it.each(["__proto__", "constructor", "toString", "list.length"])(
    "post_arg.<path> never reads properties of JavaScript objects: %s",
    (path) => {
      expect(data.value(path)).toBeUndefined();
      expect(form("a=1").value(path)).toBeUndefined();
    },
  );

  it("post_arg.<path> reads urlencoded forms", () => {
    expect(form("a=1&b=%C3%BC&__proto__=x").value("b")).toBe(utf8("ü"));
    expect(form("a=1&b=2&__proto__=x").value("__proto__")).toBe("x");
  });

  it("post_arg.<path> reads multipart forms, but no files", () => {
    const parts = [
      'Content-Disposition: form-data; name="a"\r\n\r\none',
      'content-disposition: form-data; name="q\\"uote"\r\nContent-Type: text/plain\r\n\r\ntwo\r\nlines',
      'Content-Disposition: form-data; name="f"; filename="f.txt"\r\n\r\nfile',
      "Content-Disposition: form-data; name=bare\r\n\r\n",
    ];
    const body = `${parts.map((part) => `--X\r\n${part}\r\n`).join("")}--X--\r\n`;
    for (const type of ['multipart/form-data; boundary="X"', "Multipart/Form-Data; charset=x; boundary=X"]) {
      const multipart = new RequestData(type, body);
      expect(multipart.value("a")).toBe("one");
      expect(multipart.value('q"uote')).toBe("two\r\nlines");
      expect(multipart.value("f")).toBeUndefined();
      expect(multipart.value("bare")).toBe("");
    }
  });

  it.each([
    ["application/json", '{"a":'],
    ["application/json", ""],
    ["application/jsonlines", '{"a":1}'],
    ["multipart/form-data", "--X\r\n"],
    ["text/plain", '{"a":1}'],
  ])("post_arg.<path> is absent in %s %s", (type, body) => {
    expect(new RequestData(type, body).value("a")).toBeUndefined();
  });

  it("post_arg.<path> reads JSON of the type application/vnd.api+json", () => {
    expect(new RequestData("application/vnd.api+json;v=1", '{"a":1}').value("a")).toBe("1");
  });

  it("post_arg.<path> finds a bounded number of values, however the body is built", () => {
    let nested: unknown = [];
    for (let i = 0; i < 2_000; i++) nested = [nested, i];
    const wide = Array.from({ length: 20_000 }, (_, i) => ({ id: i, more: [i] }));
    for (const value of [nested, wide])
      expect((json(value).value("..[*]..[*]") ?? "").length).toBeLessThan(200_000);
  });
});

describe("a body nested deeper than the stack", () => {
  const deep = new RequestData("application/json", `${"[".repeat(200_000)}${"]".repeat(200_000)}`);

  it.each(["0", "[0]", "..[0]", "[*]"])(
    "post_arg.%s has no value for a body that is nested deeper than the stack",
    (path) => {
      expect(deep.value(path)).toBeUndefined();
    },
  );
});

describe("graphql_*", () => {
  const of = (request: unknown) => {
    const data = json(request);
    return ["name", "operation", "root_fields"].map((part) => data.graphql(part));
  };

  it.each([
    [
      "query getRepo($n: Int = 1) { owner(id: 1) { name } repo: repository { created } }",
      ["getRepo", "query", "owner,repository"],
    ],
    ["{ a b(x: {y: 1}) c @include(if: true) { d } }", [undefined, "query", "a,b,c"]],
    ['mutation M @live { add(text: "} { # no") { id } }', ["M", "mutation", "add"]],
    [
      '# a comment { x }\nsubscription { news(about: """ } block { """) }',
      [undefined, "subscription", "news"],
    ],
    ["fragment F on User { id } query { ...F me { ...F } ... on Query { you } }", [undefined, "query", "me"]],
    ["type Query { a: Int }", [undefined, undefined, undefined]],
    ["", [undefined, undefined, undefined]],
    ["query {", [undefined, undefined, undefined]],
  ])("graphql_name, graphql_operation and graphql_root_fields are read from %s", (query, expected) => {
    expect(of({ query })).toEqual(expected);
  });

  it("graphql_* variables describe the operation that the request names, else the first", () => {
    const query = "query A { a } query B { b }";
    expect(of({ query, operationName: "B" })).toEqual(["B", "query", "b"]);
    expect(of({ query, operationName: "C" })).toEqual(["A", "query", "a"]);
    expect(of({ query })).toEqual(["A", "query", "a"]);
  });

  it("graphql_* variables are read from application/graphql, but not from text/plain or a numeric query", () => {
    expect(new RequestData("application/graphql", "{ a }").graphql("root_fields")).toBe("a");
    expect(new RequestData("text/plain", "{ a }").graphql("root_fields")).toBeUndefined();
    expect(of({ query: 1 })).toEqual([undefined, undefined, undefined]);
  });
});
