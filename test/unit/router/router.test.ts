import { describe, expect, it } from "vitest";
import type { RouterRow } from "../../../runtime/abi/generation.js";
import type { RouteSubject } from "../../../runtime/proxy/router/candidate.js";
import { Router } from "../../../runtime/proxy/router/router.js";

/** Makes a router of routes by id; an id that ends in "?" has vars, which are never true. */
function routes(rows: Record<string, Partial<RouterRow> | string>): Router<string, RouteSubject> {
  const router = new Router<string, RouteSubject>(() => false);
  Object.entries(rows).forEach(([id, given], order) => {
    const row = typeof given === "string" ? { uris: [given] } : given;
    const defaults = { hosts: [], uris: ["/*"], methods: [], remoteAddrs: [], priority: 0 };
    const rest = { moduleId: null, upstream: null, enableWebsocket: false, hasMatch: id.endsWith("?") };
    router.put({ ...defaults, ...rest, id, order, ...row }, id);
  });
  return router;
}

const subject = (path: string, rest: Partial<RouteSubject> = {}): RouteSubject => ({
  path,
  host: "shop.example.com",
  method: "GET",
  remoteAddr: "10.1.2.3",
  uriParams: undefined,
  ...rest,
});

/** Returns path parameters of a single route, or null if it does not match. */
function parameters(pattern: string, uri: string): unknown {
  const asked = subject(uri);
  return routes({ a: pattern }).match(asked) === undefined ? null : { ...asked.uriParams };
}

describe("the path of a route", () => {
  it.each([
    ["/a", "/a", {}],
    ["/a", "/a/", null],
    ["/a/", "/a", null],
    ["/a*", "/a", {}],
    ["/a*", "/ab/c", {}],
    ["/a/*", "/a", null],
    ["/a/*", "/a/", {}],
    ["/a.b", "/axb", null],
    ["/a.b/*", "/axb/c", null],
    ["/a/:id", "/a/7", { id: "7" }],
    ["/a/:id", "/a/", null],
    ["/a/:id", "/a/7/", null],
    ["/a/:id/b", "/a/7/b", { id: "7" }],
    ["/a/:id.json", "/a/7.json", { "id.json": "7.json" }],
    ["/a/:b/*rest", "/a/x/y/z", { b: "x", rest: "y/z" }],
    ["/a/*rest", "/a/", { rest: "" }],
    ["/a/*/z", "/a/b/c/z", {}],
    ["/a/*/z", "/a/z", null],
    ["/a/*/m/*rest", "/a/1/m/2/m/3", { rest: "3" }],
    ["/files/*.jpg", "/files/a/b.jpg", {}],
    ["/files/*.jpg", "/files/b.png", null],
    ["/a*b*c", "/a-b-b-c", {}],
    ["/a:b", "/a:b", {}],
    ["/*", "*", null],
  ])("the route path %s and the request path %s give %j", (pattern, uri, expected) => {
    expect(parameters(pattern, uri)).toEqual(expected);
  });

  it("an escaped star or colon in a route path is the character itself", () => {
    const router = routes({ exact: "/a%2A", prefix: "/b%2A/*", name: "/%3Aid/:id" });
    expect(router.match(subject("/a*"))).toBe("exact");
    expect(router.match(subject("/ab"))).toBeUndefined();
    expect(router.match(subject("/b*/c"))).toBe("prefix");
    expect(router.match(subject("/:id/7"))).toBe("name");
    expect(router.match(subject("/x/7"))).toBeUndefined();
  });

  it("a path glob with 12 stars does not match a path of 4,000 slashes and ends", () => {
    const router = routes({ a: `/${"*a/".repeat(12)}b` });
    expect(router.match(subject(`/${"a/".repeat(4_000)}`))).toBeUndefined();
  });
});

describe("the choice of a route", () => {
  it("the router prefers the host over the path and the path over the priority", () => {
    const router = routes({
      wildcard: { hosts: ["*.example.com"], uris: ["/v1/orders"], priority: 9 },
      exact: { hosts: ["shop.example.com"], uris: ["/*"] },
      long: { hosts: ["shop.example.com"], uris: ["/v1/*"] },
      short: { hosts: ["shop.example.com"], uris: ["/v*"], priority: 9 },
      anywhere: { uris: ["/v1/orders"], priority: 99 },
    });
    expect(router.match(subject("/v1/orders"))).toBe("long");
    expect(router.match(subject("/x"))).toBe("exact");
    expect(router.match(subject("/v1/orders", { host: "a.example.com" }))).toBe("wildcard");
    expect(router.match(subject("/v1/orders", { host: "example.org" }))).toBe("anywhere");
  });

  it("the router tries the next candidate if a condition fails, down to routes of any host", () => {
    const router = routes({
      "vars?": { hosts: ["shop.example.com"], uris: ["/a/b"] },
      post: { hosts: ["shop.example.com"], uris: ["/a/*"], methods: ["POST"] },
      inside: { hosts: ["*.example.com"], uris: ["/a/*"], remoteAddrs: ["192.168.0.0/16", "::1"] },
      anywhere: "/*",
    });
    expect(router.match(subject("/a/b"))).toBe("anywhere");
    expect(router.match(subject("/a/b", { method: "POST" }))).toBe("post");
    expect(router.match(subject("/a/b", { remoteAddr: "192.168.7.7" }))).toBe("inside");
    expect(router.match(subject("/a/b", { remoteAddr: "::1" }))).toBe("inside");
  });

  it("the router orders routes with one path by priority, then by registration, also after a removal", () => {
    const router = routes({ first: "/a", second: "/a", high: { uris: ["/a"], priority: 1 } });
    expect(router.match(subject("/a"))).toBe("high");
    router.remove("high");
    expect(router.match(subject("/a"))).toBe("first");
  });

  it("the router leaves no parameters of a candidate that failed", () => {
    const router = routes({ "vars?": "/a/:id", fallback: "/a/*" });
    const asked = subject("/a/7");
    expect(router.match(asked)).toBe("fallback");
    expect(asked.uriParams).toBeUndefined();
  });
});

it("the router explains for each route in words of the configuration why it matched or not", () => {
  const router = routes({
    winner: { hosts: ["shop.example.com"], uris: ["/orders/*"] },
    "vars?": { hosts: ["shop.example.com"], uris: ["/orders/7"] },
    post: { hosts: ["shop.example.com"], uris: ["/orders/7"], methods: ["POST", "PUT"] },
    inside: {
      hosts: ["shop.example.com"],
      uris: ["/orders/*"],
      remoteAddrs: ["192.168.0.0/16"],
      priority: 5,
    },
    low: { hosts: ["shop.example.com"], uris: ["/orders/*"], priority: -1 },
    later: { hosts: ["shop.example.com"], uris: ["/orders/*"] },
    short: { hosts: ["shop.example.com"], uris: ["/o*"], priority: 9 },
    wildcard: { hosts: ["*.example.com"], uris: ["/orders/7"], priority: 9 },
    other: { hosts: ["a.org", "b.org"], uris: ["/orders/7"] },
    elsewhere: { uris: ["/carts", "/carts/*"] },
    slash: "/orders/7/",
    below: "/orders/7/*",
    segment: { hosts: ["shop.example.com"], uris: ["/orders/:id/items"] },
  });
  expect(router.explain(subject("/orders/7"))).toEqual({
    matched: "winner",
    candidates: [
      ["vars?", "its vars are not met", "condition"],
      ["post", "method GET is not among POST, PUT", "method"],
      ["inside", "client 10.1.2.3 is not in 192.168.0.0/16", "client"],
      ["segment", "path /orders/7 does not match /orders/:id/items", "path"],
      ["winner", "matched"],
      [
        "later",
        'comes after "winner", which has the same host, path and priority and is defined earlier',
        "order",
      ],
      ["low", 'comes after "winner", which has the higher priority (0 to -1)', "order"],
      ["short", 'comes after "winner", which has the longer path prefix', "order"],
      ["wildcard", 'comes after "winner", which has the more specific host', "order"],
      ["other", "host shop.example.com is not among a.org, b.org", "host"],
      ["elsewhere", "path /orders/7 does not match /carts, /carts/*", "path"],
      ["slash", "path /orders/7 does not match /orders/7/; the trailing slash matters", "path"],
      ["below", 'path /orders/7 does not match /orders/7/*; "/orders/7/*" needs the slash', "path"],
    ].map(([id, verdict, why]) => ({ id, verdict, ...(why && { why }) })),
  });
});
