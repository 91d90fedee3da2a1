import { describe, expect, it } from "vitest";
import { reported, resolved, resourcesOf } from "./configuration.js";

const routes = (...lines: string[]) =>
  reported(
    resolved(
      resourcesOf(`routes:\n${lines.map((line) => `  - { plugins: { answer: {} }, ${line} }\n`).join("")}`),
    ),
  );

describe("routes that no request can reach", () => {
  it("GW3040 names the route of higher priority that always matches first", () => {
    expect(routes("id: all, uri: /a/*, priority: 1", "id: read, uri: /a/*, methods: [GET]")).toEqual([
      'GW3040 3 no request reaches route "read": route "all" always matches first',
    ]);
  });

  it("GW3040 reports a route whose methods are all taken by several routes together", () => {
    expect(
      routes(
        "id: g, uri: /a, methods: [GET], priority: 1",
        "id: p, uri: /a, methods: [POST], priority: 1",
        "id: both, uri: /a, methods: [GET, POST]",
      ),
    ).toEqual(['GW3040 4 no request reaches route "both": route "g" and 1 more always match first']);
  });

  it("a route is shadowed by another one with all its hosts and paths, GW3046 reports a single path", () => {
    const first = "id: a, hosts: [x.com, y.com], uris: [/1, /2], priority: 1";
    expect(routes(first, "id: b, hosts: [x.com], uris: [/1, /2]")).toHaveLength(1);
    expect(routes(first, "id: b, hosts: [x.com], uris: [/1, /3]")).toEqual([
      'GW3046 3 no request for "/1" reaches route "b": route "a" always matches first',
    ]);
    expect(routes(first, "id: b, hosts: [x.com, z.com], uris: [/1, /3]")).toEqual([]);
    expect(routes(first, "id: b, uri: /1")).toEqual([]);
  });

  it("GW3047 reports a priority without effect, since longer prefixes and exact paths are tried first", () => {
    for (const path of ["/api/v1/*", "/api/v1"])
      expect(routes("id: a, uri: /api/*, priority: 9", `id: b, uri: ${path}`)).toEqual([
        expect.stringMatching(/^GW3047 2 priority 9 of route "a" has no effect/),
      ]);
  });

  it("path globs are compared without the names of their parameters", () => {
    expect(routes("id: a, uri: '/u/:id', priority: 1", "id: b, uri: '/u/:name'")).toHaveLength(1);
    expect(routes("id: a, uri: '/u/:id', priority: 1", "id: b, uri: '/u/:id/x'")).toEqual([]);
    expect(routes("id: a, uri: '/u/*', priority: 1", "id: b, uri: '/u/:id/x'")).toHaveLength(1);
    expect(routes("id: a, uri: '/u/*'", "id: b, uri: '/u/:id/x'")).toEqual([]);
  });

  it("a route for the host * shadows a route without a host", () => {
    expect(routes("id: b, uri: /a/b, priority: 9", 'id: a, host: "*", uri: /a/*')).toEqual([
      'GW3040 2 no request reaches route "b": route "a" always matches first',
    ]);
  });

  it("a route with vars or remote_addr shadows only routes with the same or narrower conditions", () => {
    expect(routes("id: a, uri: /, priority: 1, vars: [[arg_x, ==, y]]", "id: b, uri: /")).toEqual([]);
    expect(routes("id: a, uri: /, priority: 1, remote_addr: 10.0.0.0/8", "id: b, uri: /")).toEqual([]);
    expect(
      routes("id: a, uri: /, priority: 1, vars: [[arg_x, ==, y]]", "id: b, uri: /, vars: [[arg_x, ==, y]]"),
    ).toHaveLength(1);
    expect(
      routes(
        "id: a, uri: /, priority: 1, remote_addrs: [10.0.0.0/8, 127.0.0.1]",
        "id: b, uri: /, remote_addr: 127.0.0.1",
      ),
    ).toHaveLength(1);
  });

  it("GW3041 reports a route that matches the same requests as another one", () => {
    expect(routes("id: b, host: X.com, uri: /", "id: a, host: x.COM, uri: /")).toEqual([
      'GW3041 3 route "a" matches the same requests as route "b", which is always tried first',
    ]);
  });

  it("a route with status 0 shadows no other route", () => {
    expect(routes("id: a, uri: /, priority: 1, status: 0", "id: b, uri: /")).toEqual([]);
  });

  it("a route is compared only with the first 500 of 10,000 routes that have its path", () => {
    const at = (i: number) => `uri: /, remote_addr: 10.0.${i >> 8}.${i & 255}`;
    const many = Array.from({ length: 10_000 }, (_, i) => `id: r${String(i).padStart(5, "0")}, ${at(i)}`);
    many.push(`id: within, ${at(0)}`, `id: beyond, ${at(9_999)}`);
    const resources = resourcesOf(
      `routes:\n${many.map((line) => `  - { plugins: { answer: {} }, ${line} }\n`).join("")}`,
    );
    expect(reported(resolved(resources))).toEqual([
      'GW3041 10002 route "within" matches the same requests as route "r00000", which is always tried first',
    ]);
  });
});

describe("hosts and paths that can never match", () => {
  it.each([
    ["host: 'a.example.com:8080'", "hosts are compared without their port"],
    ["host: '[::1]:80'", "hosts are compared without their port"],
    ["host: '::1'", 'an IPv6 address is enclosed in "[" and "]"'],
    ["host: 'a..b'", "a name has no empty label"],
  ])("GW3042 reports that %s never matches", (field, reason) => {
    const found = routes(`id: r, uri: /, ${field}`);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^GW3042 2 /);
    expect(found[0]).toContain(reason);
  });

  it("a host with a leading wildcard, IPv6 in brackets or capitals produces no diagnostic", () => {
    expect(routes("id: r, uri: /, hosts: ['*', '*.Example.com', '*example.com', '[::1]', 'A.b']")).toEqual(
      [],
    );
  });

  it.each([
    ["/../a", "it leads above the root"],
    ["/a/*/../b", "it has a dot segment behind a wildcard"],
    ["/a/..%2Fb", "it has a hidden dot segment"],
    ["/a%00", "it has a broken escape"],
  ])("GW3044 reports that the path %s never matches", (uri, reason) => {
    expect(routes(`id: r, uri: '${uri}'`)).toEqual([`GW3044 2 path "${uri}" never matches: ${reason}`]);
  });

  it.each([
    ["/a/../b", "/b"],
    ["/a/.", "/a/"],
    ["/%41", "/A"],
    ["/caf%c3%a9", "/caf%C3%A9"],
    ["/100%", "/100%25"],
  ])("GW3045 reports the normalized form of the path %s", (uri, form) => {
    expect(routes(`id: r, uri: '${uri}'`)).toEqual([`GW3045 2 path "${uri}" is compared as "${form}"`]);
  });

  it("a normalized path produces no diagnostic", () => {
    expect(routes("id: r, uris: ['//a', '/a%20b', '/é', '/a%2Fb', '/%2A', '/%3Aid']")).toEqual([]);
  });

  it("GW3043 reports a path that is listed twice in different spellings", () => {
    expect(routes("id: r, uris: ['/a b', '/a%20b']")).toEqual(['GW3043 2 uri "/a%20b" is listed twice']);
  });

  it("GW3043 reports a host that is listed twice in different letter case, at the second one", () => {
    expect(routes("id: r, uri: /, hosts: [a.com, A.com]")).toEqual(['GW3043 2 host "A.com" is listed twice']);
  });

  it("GW3042 reports a host of a service once, not once per route", () => {
    const found = reported(
      resolved(
        resourcesOf(`
services:
  - { id: s, hosts: ["a:1"], upstream: { nodes: { b: 1 } } }
routes:
  - { id: r, uri: /a, service_id: s }
  - { id: t, uri: /b, service_id: s }
`),
      ),
    );
    expect(found).toEqual(['GW3042 3 host "a:1" can never match: hosts are compared without their port']);
  });
});
