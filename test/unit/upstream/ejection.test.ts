import { describe, expect, it } from "vitest";
import type { UpstreamTable } from "../../../runtime/abi/generation.js";
import { PASSIVE_CHECKS, type PassiveChecks } from "../../../runtime/abi/passive-checks.js";
import type { LiveNode } from "../../../runtime/proxy/host/contract.js";
import { Upstream } from "../../../runtime/proxy/upstream/balancer.js";
import type { NodeFailure } from "../../../runtime/proxy/upstream/node-health.js";
import { type Nodes, requestWith, upstreamOf } from "./tables.js";

const TYPES = ["roundrobin", "chash", "least_conn", "ewma"] as const;

/** Load balancer on a simulated clock, with the outcomes of the requests that it routes. */
class Pool {
  now = 1_000;
  #seed = 1;
  upstream: Upstream;

  constructor(
    nodes: Nodes,
    { checks, ...rest }: Partial<UpstreamTable> & { checks?: Partial<PassiveChecks> } = {},
  ) {
    this.upstream = this.#open(nodes, {
      ...rest,
      ...(checks && { passive: { ...PASSIVE_CHECKS, ...checks } }),
    });
  }

  #open(nodes: Nodes, rest: Partial<UpstreamTable>, previous?: Upstream): Upstream {
    return new Upstream(
      upstreamOf(nodes, rest),
      previous,
      () => this.now,
      () => (this.#seed = (this.#seed * 16_807) % 2_147_483_647) / 2_147_483_647,
    );
  }

  /** The next generation of the same upstream. */
  becomes(nodes: Nodes, rest: Partial<UpstreamTable> = {}): void {
    this.upstream = this.#open(nodes, rest, this.upstream);
  }

  node(host: string): LiveNode {
    const node = this.upstream.nodes.find((one) => one.host === host);
    if (node === undefined) throw new Error(`no node ${host}`);
    return node;
  }

  attempt(node: LiveNode, status: number | undefined) {
    return { node, startedAt: this.now, ms: 0, status };
  }

  /** Sends one request and returns the hosts that it tried. `dead`: hosts that fail. */
  send(dead = "", values: Record<string, string> = {}, reason: NodeFailure = "timeouts"): string {
    const tried: LiveNode[] = [];
    const x = requestWith(values);
    this.now += 1;
    for (let i = 0; i <= this.upstream.table.retries; i++) {
      const node = this.upstream.pick(x, tried);
      if (node === null) break;
      tried.push(node);
      if (!dead.includes(node.host)) {
        this.upstream.answered(this.attempt(node, 200));
        break;
      }
      this.upstream.failed(this.attempt(node, 504), reason);
    }
    return tried.map(({ host }) => host).join("");
  }

  /** Ejects hosts. */
  kill(hosts: string): void {
    this.now += 1;
    for (const host of hosts)
      for (let i = 0; i < 5; i++) this.upstream.failed(this.attempt(this.node(host), 502), "tcpFailures");
  }

  sends(count: number, dead = ""): string[] {
    return Array.from({ length: count }, (_, i) => this.send(dead, { addr: `10.0.0.${i}` }));
  }
}

const PRIORITIES: Nodes = { a: { priority: 1 }, b: { priority: 0 }, c: { priority: 0 } };

describe.each(TYPES)("%s", (type) => {
  const settings = { type, hashKey: "remote_addr" };

  it("a load balancer sends no request to an ejected node and probes it after its ejection", () => {
    const pool = new Pool({ a: 1, b: 1, c: 1 }, settings);
    pool.kill("b");
    expect(pool.sends(50).join("")).not.toContain("b");
    pool.now += 10_000;
    expect(pool.sends(50).join("")).toContain("b");
  });

  it("a load balancer sends one request at a time to a half-open node", () => {
    const pool = new Pool({ a: 1, b: 1 }, settings);
    pool.kill("b");
    pool.now += 11_000;
    const picked = Array.from({ length: 50 }, (_, i) =>
      pool.upstream.pick(requestWith({ addr: `10.0.0.${i}` }), []),
    );
    expect(picked.filter((node) => node?.host === "b")).toHaveLength(1);
  });

  it("a load balancer picks neither an ejected nor a half-open node for a retry", () => {
    const pool = new Pool({ a: 1, b: 1, c: 1 }, { ...settings, retries: 2 });
    pool.kill("b");
    for (const tried of pool.sends(20, "c")) expect(tried).not.toContain("b");
    pool.now += 60_000;
    expect(pool.sends(1, "abc")[0]?.slice(1)).not.toContain("b");
  });

  it("a load balancer leaves a higher priority whose only node is ejected", () => {
    const pool = new Pool(PRIORITIES, settings);
    expect(pool.send()).toBe("a");
    pool.kill("a");
    expect(pool.sends(20).join("")).not.toContain("a");
  });

  it("a load balancer tries all nodes when all are ejected, and counts no failures of them", () => {
    const pool = new Pool({ a: 1, b: 1, c: 1, d: 1 }, { ...settings, checks: { maxEjectedPercent: 100 } });
    pool.kill("abc");
    // All nodes of the next generation are ejected.
    pool.becomes({ a: 1, b: 1 }, settings);
    const tried = pool.sends(50, "ab").join("");
    const counted = pool.upstream.nodes.map(({ health }) => health.uncollected.timeouts);
    expect(counted).toEqual([0, 0]);
    expect(new Set(tried)).toEqual(new Set("ab"));
  });
});

describe("max_ejected_percent", () => {
  it.each([
    [1, 100, 0],
    [2, 50, 1],
    [2, 10, 1],
    [3, 50, 1],
    [4, 50, 2],
    [4, 100, 3],
    [10, 20, 2],
    [10, 0, 0],
  ])(
    "a pool of %i nodes with max_ejected_percent %i has at most %i ejected nodes",
    (count, maxEjectedPercent, out) => {
      const hosts = "abcdefghij".slice(0, count);
      const pool = new Pool(Object.fromEntries([...hosts].map((host) => [host, 1])), {
        checks: { maxEjectedPercent },
      });
      pool.kill(hosts);
      const states = pool.upstream.nodes.map(({ health }) => health.stateAt(pool.now));
      expect(states.filter((state) => state === "ejected")).toHaveLength(out);
    },
  );

  it("a pool does not count nodes of weight 0, so its only node of positive weight stays in use", () => {
    const pool = new Pool({ a: 1, b: 0, c: 0 });
    pool.kill("a");
    expect(pool.send()).toBe("a");
  });
});

describe("consistent hashing", () => {
  const keys = Array.from({ length: 300 }, (_, i) => ({ addr: `10.1.${i >> 8}.${i & 255}` }));
  const places = (pool: Pool) => keys.map((key) => pool.upstream.pick(requestWith(key), [])?.host ?? "-");

  it("chash moves only the keys of an ejected node and moves them back one by one", () => {
    const pool = new Pool({ a: 1, b: 1, c: 1 }, { type: "chash", hashKey: "remote_addr" });
    const before = places(pool);
    pool.kill("b");
    const without = places(pool);
    expect(without).toEqual(before.map((host, i) => (host === "b" ? without[i] : host)));
    expect(without).not.toContain("b");
    pool.now += 10_500;
    pool.upstream.answered(pool.attempt(pool.node("b"), 200));
    for (const key of keys) pool.send("", key);
    const steps = Array.from({ length: 11 }, () => {
      const now = places(pool).map((host) => host === "b");
      pool.now += 1_000;
      return now;
    });
    for (const [i, step] of steps.entries())
      for (const [j, moved] of step.entries()) if (moved) expect(steps[i + 1]?.[j] ?? true).toBe(true);
    expect(places(pool)).toEqual(before);
  });
});

describe("a probe", () => {
  it("a probe waits for a request that may be repeated, but takes a POST 21 s after the ejection", () => {
    const pool = new Pool({ a: 1, b: 1 });
    pool.kill("b");
    pool.now += 11_000;
    for (let i = 0; i < 20; i++) expect(pool.send("b", { method: "POST" })).toBe("a");
    pool.now += 10_000;
    expect([pool.send("", { method: "POST" }), pool.send("", { method: "POST" })]).toContain("b");
  });

  it("two 5xx responses in a row eject a node when httpFailures is 2, and a 404 resets the count", () => {
    const pool = new Pool({ a: 1, b: 1 }, { checks: { httpFailures: 2 } });
    const answer = (host: string, status: number) =>
      pool.upstream.answered(pool.attempt(pool.node(host), status));
    expect(answer("b", 500)).toBeUndefined();
    answer("b", 404);
    expect(answer("b", 500)).toBeUndefined();
    expect(answer("b", 503)).toMatchObject({ kind: "ejected", reason: "httpFailures" });
  });

  it("a probe that is answered with a counted status fails, and ejects its node for twice as long", () => {
    const pool = new Pool({ a: 1, b: 1 }, { checks: { httpFailures: 2 } });
    pool.kill("b");
    pool.now += 11_000;
    expect(pool.upstream.pick(requestWith(), [])).toBe(pool.node("b"));
    expect(pool.upstream.answered(pool.attempt(pool.node("b"), 500))).toMatchObject({
      ...{ kind: "ejected", reason: "httpFailures", ms: 20_000 },
    });
    expect(pool.sends(20).join("")).not.toContain("b");
  });

  it("a probe that is answered with 500 succeeds when HTTP failures do not count", () => {
    const pool = new Pool({ a: 1, b: 1 });
    pool.kill("b");
    pool.now += 11_000;
    expect(pool.upstream.pick(requestWith(), [])).toBe(pool.node("b"));
    expect(pool.upstream.answered(pool.attempt(pool.node("b"), 500))).toMatchObject({ kind: "returned" });
  });

  it("a node stays healthy after 100 responses of 500 when HTTP failures do not count", () => {
    const pool = new Pool({ a: 1, b: 1 });
    for (let i = 0; i < 100; i++) pool.upstream.answered(pool.attempt(pool.node("b"), 500));
    expect(pool.node("b").health.stateAt(pool.now)).toBe("healthy");
  });
});

describe("the next generation", () => {
  it("the next generation keeps a node ejected if its weight changes, but not if it was removed before", () => {
    const pool = new Pool({ a: 1, b: 1 });
    pool.kill("b");
    pool.becomes({ a: 1, b: 2, c: 1 }, { keepalive: { size: 9, idleTimeout: 9, requests: 9 }, retries: 5 });
    expect(pool.sends(20).join("")).not.toContain("b");
    pool.becomes({ a: 1, c: 1 });
    pool.becomes({ a: 1, b: 1 });
    expect(pool.sends(20).join("")).toContain("b");
  });
});

describe("two nodes of which one hangs", () => {
  it.each(TYPES)("fewer than 30 of 10000 requests wait for a node that hangs, by %s", (type) => {
    const pool = new Pool({ a: 1, b: 1 }, { type, hashKey: "remote_addr" });
    let waited = 0;
    for (let i = 0; i < 10_000; i++) {
      const tried = pool.send("b", { addr: `10.2.${i >> 8}.${i & 255}` });
      if (tried.startsWith("b")) {
        waited++;
        pool.now += 60_000;
      }
      pool.now += 9;
    }
    expect(waited).toBeGreaterThan(2);
    expect(waited).toBeLessThan(30);
  });
});
