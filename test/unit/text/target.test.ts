import { describe, expect, it } from "vitest";
import {
  escapedPathText,
  joinQuery,
  pathText,
  queryText,
  rawText,
  replaceInPath,
  replaceInTarget,
  withoutParameter,
} from "../../../runtime/abi/text/target.js";

const find = (pattern: RegExp, subject: string): RegExpExecArray => {
  const found = pattern.exec(subject);
  if (found === null) throw new Error(`${pattern} does not match ${subject}`);
  return found;
};

describe("values in a request target", () => {
  it("pathText percent-encodes a value for a path and leaves slashes", () => {
    expect(pathText("a b/c?d#e%f\xc3\xa9")).toBe("a%20b/c%3Fd%23e%25f%C3%A9");
    expect(pathText("-._~!$&'()*+,;=:@")).toBe("-._~!$&'()*+,;=:@");
    expect(pathText("\r\n\0")).toBe("%0D%0A%00");
  });

  it("queryText percent-encodes separators of parameters", () => {
    expect(queryText("a&b=c+d;e#f")).toBe("a%26b%3Dc%2Bd%3Be%23f");
    expect(queryText("/a:b@c,d")).toBe("/a:b@c,d");
  });

  it("an absent value is the empty text and a number its digits", () => {
    expect(pathText(undefined)).toBe("");
    expect(queryText(8080)).toBe("8080");
  });

  it("escapedPathText leaves escapes and encodes lone percent signs and question marks", () => {
    expect(escapedPathText("/a%20b%zz?q")).toBe("/a%20b%25zz%3Fq");
  });

  it("rawText encodes only characters that would break the request line", () => {
    expect(rawText("/a%20b?x=1&y=%zz")).toBe("/a%20b?x=1&y=%zz");
    expect(rawText("/a b\r\n\xe9#f")).toBe("/a%20b%0D%0A%E9%23f");
  });
});

describe("joinQuery", () => {
  it.each([
    ["/new", "", "/new"],
    ["/new", "q=1", "/new?q=1"],
    ["/new?a=1", "q=1", "/new?a=1&q=1"],
    ["/new?", "q=1", "/new?q=1"],
    ["/new?a=1&", "q=1", "/new?a=1&q=1"],
  ])("the target %s with the query %j is %s", (target, args, expected) => {
    expect(joinQuery(target, args)).toBe(expected);
  });
});

describe("replacing a match", () => {
  it("replaceInPath replaces only the match and encodes the text around it", () => {
    expect(replaceInPath(find(/old/, "/a b/old/c d"), "new", "q=1")).toBe("/a%20b/new/c%20d?q=1");
  });

  it("replaceInPath appends the text behind the match to the query of the replacement", () => {
    expect(replaceInPath(find(/^\/a/, "/a/b&c"), "/t?x=", "")).toBe("/t?x=/b%26c");
  });

  it("replaceInPath returns a path that starts with a slash", () => {
    expect(replaceInPath(find(/^\/api/, "/api"), "", "")).toBe("/");
    expect(replaceInPath(find(/^\/api\//, "/api/x"), "", "")).toBe("/x");
  });

  it("replaceInTarget leaves the query and the escapes of the target unchanged", () => {
    expect(replaceInTarget(find(/^\/old/, "/old/%2Fa?x=%20"), "/new")).toBe("/new/%2Fa?x=%20");
  });
});

describe("withoutParameter", () => {
  it.each([
    ["/a?k=1&b=2", "/a?b=2"],
    ["/a?b=2&%6B=1&k", "/a?b=2"],
    ["/a?k=1", "/a"],
    ["/a", "/a"],
    ["/a?kk=1", "/a?kk=1"],
  ])("the target %s without the parameter k is %s", (target, expected) => {
    expect(withoutParameter(target, "k")).toBe(expected);
  });
});
