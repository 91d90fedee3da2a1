import { describe, expect, it } from "vitest";
import { planned } from "../plan/planned.js";

const codes = (regex_uri: string[]) => planned({ plugins: { "proxy-rewrite": { regex_uri } } }).codes;

describe("pairs of regex_uri that no path reaches", () => {
  it.each([
    [".*", "^/a"],
    ["", "^/a"],
    ["^", "^/a"],
    ["/", "^/a"],
    ["^/", "^/a"],
    ["^/.*", "^/a"],
    ["^/(.*)", "^/a"],
    ["^(/.*)$", "^/a"],
    ["^/a/(.*)$", "^/a/(.*)$"],
    ["^/a", "^/a/b"],
    ["^/a/(.*)", "^/a/b/(.*)"],
    ["^/a.*", "^/abc$"],
  ])("%s before %s", (earlier, later) => {
    expect(codes([earlier, "/x", later, "/y"])).toEqual(["GW4103"]);
  });

  it.each([
    ["^/$", "^/a"],
    ["/$", "^/a"],
    ["^/a$", "^/a/b"],
    ["^/a/b", "^/a"],
    ["^/ab", "^/ab?c"],
    ["^/a", "^/a|^/b"],
    ["^/a", "^/b"],
    ["^/a(.*)z", "^/ab"],
    ["^/v[0-9]", "^/v1"],
  ])("are not %s before %s", (earlier, later) => {
    expect(codes([earlier, "/x", later, "/y"])).toEqual([]);
  });
});
