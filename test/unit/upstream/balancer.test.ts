import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Exchange } from "../../../runtime/abi/exchange.js";
import type { UpstreamTable } from "../../../runtime/abi/generation.js";
import type { LiveNode } from "../../../runtime/proxy/host/contract.js";
import { liveNode, Upstream } from "../../../runtime/proxy/upstream/balancer.js";
import { Ewma } from "../../../runtime/proxy/upstream/node-picker.js";
import { type Nodes, requestWith, upstreamOf } from "./tables.js";

const picks = (upstream: Upstream, count: number) =>
  Array.from({ length: count }, () => upstream.pick(requestWith(), [])?.host ?? "-").join("");

function counts(upstream: Upstream, requests: Iterable<Exchange>): Record<string, number> {
  const found: Record<string, number> = {};
  for (const x of requests) {
    const host = upstream.pick(x, [])?.host ?? "-";
    found[host] = (found[host] ?? 0) + 1;
  }
  return found;
}

/** Nodes in the order in which retries would try them. */
function attempts(upstream: Upstream, x = requestWith()): string {
  const tried: LiveNode[] = [];
  for (let node = upstream.pick(x, tried); node !== null; node = upstream.pick(x, tried)) {
    if (tried.includes(node)) return `${tried.map(({ host }) => host).join("")}…`;
    tried.push(node);
  }
  return tried.map(({ host }) => host).join("");
}

describe("round robin", () => {
  it("round robin interleaves nodes by weight, without long runs of the heavy node", () => {
    expect(picks(new Upstream(upstreamOf({ a: 5, b: 1, c: 1 })), 14)).toBe("aabacaaaabacaa");
  });

  it("round robin picks each node exactly weight times in each round, for any weights", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 6 }), (weights) => {
        const nodes = Object.fromEntries(weights.map((weight, i) => [`n${i}`, weight]));
        const round = weights.reduce((sum, weight) => sum + weight, 0);
        const upstream = new Upstream(upstreamOf(nodes));
        for (let i = 0; i < 2; i++) expect(counts(upstream, Array(round).fill(requestWith()))).toEqual(nodes);
      }),
    );
  });

  it("round robin never picks a node of weight 0", () => {
    expect(picks(new Upstream(upstreamOf({ a: 1, b: 0, c: 1 })), 4)).toBe("acac");
  });

  it("round robin picks equal nodes about equally often as first node when every request has a retry", () => {
    const upstream = new Upstream(upstreamOf({ a: 1, b: 1, c: 1 }));
    const found: Record<string, number> = {};
    for (let i = 0; i < 300; i++) {
      const first = upstream.pick(requestWith(), []) as LiveNode;
      found[first.host] = (found[first.host] ?? 0) + 1;
      upstream.pick(requestWith(), [first]);
    }
    for (const count of Object.values(found)) expect(count).toBeGreaterThan(80);
  });
});

describe.each(["roundrobin", "chash", "least_conn", "ewma"] as const)("%s", (type) => {
  it("a load balancer tries each node once", () => {
    const order = attempts(new Upstream(upstreamOf({ a: 3, b: 1, c: 2 }, { type })));
    expect([...order].sort().join("")).toBe("abc");
  });

  it("a load balancer picks the only node of positive weight again for a retry", () => {
    expect(attempts(new Upstream(upstreamOf({ a: 1, b: 0 }, { type })))).toBe("a…");
  });

  it("a load balancer picks no node without nodes or with weights of 0 only", () => {
    expect(attempts(new Upstream(upstreamOf({}, { type })))).toBe("");
    expect(attempts(new Upstream(upstreamOf({ a: 0, b: 0 }, { type })))).toBe("");
  });

  it("a load balancer picks a node of lower priority only after all of higher priority were tried", () => {
    const nodes = { a: { priority: -1 }, b: { priority: 5 }, c: { priority: 5 }, d: {} };
    expect(attempts(new Upstream(upstreamOf(nodes, { type })))).toMatch(/^(bc|cb)da$/);
  });
});

describe("least_conn", () => {
  it("least_conn picks nodes by requests in flight in proportion to weight", () => {
    const upstream = new Upstream(upstreamOf({ a: 4, b: 1 }, { type: "least_conn" }));
    for (let i = 0; i < 10; i++) (upstream.pick(requestWith(), []) as LiveNode).active++;
    expect(upstream.nodes.map(({ active }) => active)).toEqual([8, 2]);
  });

  it("least_conn alternates between idle nodes", () => {
    const found = counts(
      new Upstream(upstreamOf({ a: 1, b: 1 }, { type: "least_conn" })),
      Array(10).fill(requestWith()),
    );
    expect(found).toEqual({ a: 5, b: 5 });
  });

  it("least_conn keeps the requests in flight of a node that remains in a changed table", () => {
    const before = new Upstream(upstreamOf({ a: 1, b: 1 }, { type: "least_conn" }));
    for (const node of before.nodes) if (node.host === "a") node.active = 5;
    const after = new Upstream(upstreamOf({ a: 2, c: 1 }, { type: "least_conn" }), before);
    expect(after.nodes.map(({ host, active }) => [host, active])).toEqual([
      ["a", 5],
      ["c", 0],
    ]);
  });
});

describe("ewma", () => {
  const node = (host: string): LiveNode => liveNode({ host, port: 80 }, host);

  it("ewma prefers the faster of two nodes until its requests in flight outweigh its latency", () => {
    let time = 0;
    const [fast, slow] = [node("fast"), node("slow")];
    const peers = [fast, slow].map((live) => ({ node: live, weight: 1 }));
    const random = [0, 0.9];
    const choice = new Ewma(
      peers,
      () => random[time++ % 2] ?? 0,
      () => time,
    );
    choice.observe(fast, 10);
    choice.observe(slow, 200);
    for (let i = 0; i < 5; i++) expect(choice.choose(requestWith(), [])?.node).toBe(fast);
    fast.active = 100;
    expect(choice.choose(requestWith(), [])?.node).toBe(slow);
  });

  it("ewma prefers the faster of two nodes until the measurement of the slow one is old", () => {
    let now = 0;
    const [fast, slow] = [node("fast"), node("slow")];
    const peers = [fast, slow].map((live) => ({ node: live, weight: 1 }));
    const choice = new Ewma(
      peers,
      () => 0,
      () => now,
    );
    choice.observe(slow, 200);
    for (const [time, preferred] of [
      [0, fast],
      [20_000, fast],
      [60_000, slow],
    ] as const) {
      now = time;
      choice.observe(fast, 10);
      expect(choice.choose(requestWith(), [])?.node).toBe(preferred);
    }
  });

  it("ewma treats a failed attempt as a slow one, however quick it was", () => {
    const upstream = new Upstream(upstreamOf({ a: 1, b: 1 }, { type: "ewma" }));
    const [a, b] = upstream.nodes as [LiveNode, LiveNode];
    upstream.failed({ node: a, startedAt: 0, ms: 1, status: 502 }, "tcpFailures");
    upstream.answered({ node: b, startedAt: 0, ms: 50, status: 200 });
    expect(counts(upstream, Array(50).fill(requestWith()))).toEqual({ b: 50 });
  });
});

describe("chash", () => {
  const clients = Array.from({ length: 4000 }, (_, i) => requestWith({ addr: `10.0.${i >> 8}.${i & 255}` }));
  const chash = (nodes: Nodes, rest: Partial<UpstreamTable> = {}) =>
    new Upstream(upstreamOf(nodes, { type: "chash", ...rest }));

  it("chash picks the same node again for the same key", () => {
    const upstream = chash({ a: 1, b: 1, c: 1 });
    for (const x of clients.slice(0, 50)) expect(upstream.pick(x, [])).toBe(upstream.pick(x, []));
  });

  it("chash spreads keys by weight, within a fifth for three nodes", () => {
    const found = counts(chash({ a: 100, b: 100, c: 200 }), clients);
    expect(found["a"]).toBeGreaterThan(800);
    expect(found["b"]).toBeGreaterThan(800);
    expect(found["c"]).toBeGreaterThan(1600);
  });

  it("chash moves only the keys of a removed node", () => {
    const [three, two] = [chash({ a: 1, b: 1, c: 1 }), chash({ a: 1, b: 1 })];
    for (const x of clients) {
      const before = three.pick(x, [])?.host;
      if (before !== "c") expect(two.pick(x, [])?.host).toBe(before);
    }
  });

  it("chash picks the same node for a key in any order of the nodes", () => {
    const [one, other] = [chash({ a: 1, b: 2, c: 1 }), chash({ c: 1, a: 1, b: 2 })];
    for (const x of clients.slice(0, 500)) expect(one.pick(x, [])?.host).toBe(other.pick(x, [])?.host);
  });

  it("chash handles weights as far apart as 1000003 and 1", () => {
    expect(counts(chash({ a: 1_000_003, b: 1 }), clients.slice(0, 100))).toEqual({ a: 100 });
  });

  it.each([
    ["vars", "uri", { uri: "/a" }, { uri: "/b" }],
    ["vars", "arg_user", { "arg user": "1" }, { "arg user": "2" }],
    ["vars", "http_x_user", { "header x-user": "1" }, { "header x-user": "2" }],
    ["vars", "cookie_sid", { "cookie sid": "1" }, { "cookie sid": "2" }],
    ["header", "X-User", { "header x-user": "1" }, { "header x-user": "2" }],
    ["cookie", "sid", { "cookie sid": "1" }, { "cookie sid": "2" }],
    ["consumer", undefined, { consumer: "jack" }, { consumer: "rose" }],
    ["vars_combinations", "$host${uri}", { host: "a", uri: "/1" }, { host: "b", uri: "/1" }],
  ] as const)("chash hashes on %s %s and nothing else", (hashOn, hashKey, one, other) => {
    const nodes = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`n${i}`, 1]));
    const upstream = chash(nodes, { hashOn, ...(hashKey && { hashKey }) });
    const first = upstream.pick(requestWith({ ...one, addr: "10.0.0.1" }), []);
    expect(upstream.pick(requestWith({ ...one, addr: "10.9.9.9" }), [])).toBe(first);
    expect(upstream.pick(requestWith({ ...other, addr: "10.0.0.1" }), [])).not.toBe(first);
  });

  it("chash hashes on the client's address when the header of hash_on is absent", () => {
    const upstream = chash({ a: 1, b: 1, c: 1 }, { hashOn: "header", hashKey: "x-user" });
    expect(Object.keys(counts(upstream, clients)).sort()).toEqual(["a", "b", "c"]);
  });
});

describe("pool keys", () => {
  const key = (rest: Partial<UpstreamTable>) => new Upstream(upstreamOf({ a: 1 }, rest)).nodes[0]?.poolKey;

  it("a pool key differs if scheme, tls verification, upstream host or keepalive differ", () => {
    const keys = [
      key({}),
      key({ scheme: "https" }),
      key({ scheme: "https", tlsVerify: false }),
      key({ scheme: "https", upstreamHost: "other" }),
      key({ keepalive: { size: 2, idleTimeout: 1, requests: 1 } }),
    ];
    expect(new Set(keys).size).toBe(keys.length);
  });

  it("a pool key does not depend on the key, retries or load balancer of an upstream", () => {
    expect(key({ key: "v", retries: 7, type: "ewma" })).toBe(key({}));
  });
});
