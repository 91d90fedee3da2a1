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
  it("encodes a value once for a path, where slashes separate segments", () => {
    expect(pathText("a b/c?d#e%f\xc3\xa9")).toBe("a%20b/c%3Fd%23e%25f%C3%A9");
    expect(pathText("-._~!$&'()*+,;=:@")).toBe("-._~!$&'()*+,;=:@");
    expect(pathText("\r\n\0")).toBe("%0D%0A%00");
  });

  it("encodes what separates parameters when it goes into a query", () => {
    expect(queryText("a&b=c+d;e#f")).toBe("a%26b%3Dc%2Bd%3Be%23f");
    expect(queryText("/a:b@c,d")).toBe("/a:b@c,d");
  });

  it("treats an absent value as empty and a number as its digits", () => {
    expect(pathText(undefined)).toBe("");
    expect(queryText(8080)).toBe("8080");
  });

  it("keeps escapes of a value that is encoded already, but no lone percent sign and no query mark", () => {
    expect(escapedPathText("/a%20b%zz?q")).toBe("/a%20b%25zz%3Fq");
  });

  it("lets a raw value through but for what would break the request line", () => {
    expect(rawText("/a%20b?x=1&y=%zz")).toBe("/a%20b?x=1&y=%zz");
    expect(rawText("/a b\r\n\xe9#f")).toBe("/a%20b%0D%0A%E9%23f");
  });
});

describe("joining the client's query", () => {
  it.each([
    ["/new", "", "/new"],
    ["/new", "q=1", "/new?q=1"],
    ["/new?a=1", "q=1", "/new?a=1&q=1"],
    ["/new?", "q=1", "/new?q=1"],
    ["/new?a=1&", "q=1", "/new?a=1&q=1"],
  ])("%s with %j is %s", (target, args, expected) => {
    expect(joinQuery(target, args)).toBe(expected);
  });
});

describe("replacing a match", () => {
  it("replaces the matched part only and encodes what stands around it", () => {
    expect(replaceInPath(find(/old/, "/a b/old/c d"), "new", "q=1")).toBe("/a%20b/new/c%20d?q=1");
  });

  it("puts what follows a replacement with a query into the query", () => {
    expect(replaceInPath(find(/^\/a/, "/a/b&c"), "/t?x=", "")).toBe("/t?x=/b%26c");
  });

  it("keeps the target absolute", () => {
    expect(replaceInPath(find(/^\/api/, "/api"), "", "")).toBe("/");
    expect(replaceInPath(find(/^\/api\//, "/api/x"), "", "")).toBe("/x");
  });

  it("replaces in the raw target without touching its query or its escapes", () => {
    expect(replaceInTarget(find(/^\/old/, "/old/%2Fa?x=%20"), "/new")).toBe("/new/%2Fa?x=%20");
  });
});

describe("taking a parameter out", () => {
  it.each([
    ["/a?k=1&b=2", "/a?b=2"],
    ["/a?b=2&%6B=1&k", "/a?b=2"],
    ["/a?k=1", "/a"],
    ["/a", "/a"],
    ["/a?kk=1", "/a?kk=1"],
  ])("%s becomes %s", (target, expected) => {
    expect(withoutParameter(target, "k")).toBe(expected);
  });
});
