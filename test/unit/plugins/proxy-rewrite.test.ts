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
    ["^/(.*)$", "^/api/users/(.*)$"],
    ["^/v[0-9]", "^/v1"],
    ["^/api(/|$)", "^/api/[^/]+/items"],
    ["/users/", "^/api/users/([0-9]+)$"],
    ["(?i)^/API/", "^/api/v1"],
    ["^/(a|b)", "^/a|^/b"],
    ["^/a{1,20}", "^/a{3,5}$"],
    ["^/\\w+", "^/[a-z]{2,100}/x$"],
    ["\\bx\\b", "^/x/y"],
    ["^/api/", "^/api/(?!v1/)(.*)$"],
    ["^/api/", "^/api/([a-z]+)/\\1$"],
    ["^/(?=a)\\w+$", "^/(?=a)\\w+$"],
    ["^/[^/]*$", "^/a[\\w.-]*$"],
  ])("the compiler reports that no path reaches %s after it, before %s", (earlier, later) => {
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
    ["^/(.+)$", "^/.*$"],
    ["^/api/(.+)$", "^/api/(.*)$"],
    ["^/api/(?!v1/)(.*)$", "^/api/v2/"],
    ["^/([a-z])\\1", "^/aa"],
    ["^/(?>a|ab)c", "^/abc"],
    ["^/a++b", "^/aab"],
    ["^/[a-z]{1,100}$", "^/[a-z]{2,5}$"],
    ["\\bx\\b", "^/xy"],
    ["^/a\\B", "^/a$"],
    ["^/a$", "^/a"],
    ["^/API/", "^/api/v1"],
    ["^api", "^/api"],
  ])("the compiler does not report %s before %s", (earlier, later) => {
    expect(codes([earlier, "/x", later, "/y"])).toEqual([]);
  });

  it("the compiler reports a pair whose paths several earlier pairs share", () => {
    const pairs = ["^/q$", "^/a", "^/api/v[0-4]/", "^/b", "^/api/v[5-9]/", "^/api/v\\d/users$"];
    expect(codes(pairs.slice(2).flatMap((pattern) => [pattern, "/x"]))).toEqual(["GW4103"]);
  });

  it("the compiler reports no pair of the raw target, which may begin with a scheme", () => {
    const regex_uri = ["^/", "/x", ".", "/y"];
    const plugins = { "proxy-rewrite": { regex_uri, use_real_request_uri_unsafe: true } };
    expect(planned({ plugins }).codes).toEqual([]);
  });
});
