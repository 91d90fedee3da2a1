import "../../../plugins/runtime.js";
import { createServer, type Server } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { setTimeout as wait } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { RouterRow, UpstreamTable } from "../../../runtime/abi/generation.js";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import { PASSIVE_CHECKS, type PassiveChecks } from "../../../runtime/abi/passive-checks.js";
import { DataServer } from "../../../runtime/proxy/host/data-server.js";
import type { NodeChange } from "../../../runtime/proxy/upstream/node-health.js";
import { hostedGenerations } from "../../support/hosted-generations.js";
import { artifact, delta, row, table } from "../../unit/host/artifacts.js";

/** Reaction of a node to a request. */
type Behaviour = "answers" | "hangs" | "resets" | "answers 500" | "reads, then resets" | "hangs for some";

class Node {
  behaviour: Behaviour = "answers";
  requests = 0;
  readonly server: Server;

  private constructor() {
    this.server = createServer((request, response) => {
      this.requests++;
      const { behaviour } = this;
      const some = behaviour === "hangs for some" && !request.url?.endsWith("?slow");
      if (behaviour === "answers" || some) response.end("ok");
      else if (behaviour === "answers 500") response.writeHead(500).end("no");
      else if (behaviour === "resets") request.socket.resetAndDestroy();
      else if (behaviour === "reads, then resets")
        request.once("data", () => request.socket.resetAndDestroy());
    });
  }

  static async start(): Promise<Node> {
    const node = new Node();
    await node.listen(0);
    onTestFinished(() => void node.die());
    return node;
  }

  listen(port: number): Promise<void> {
    return new Promise((listening) => this.server.listen(port, "127.0.0.1", listening));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  async die(): Promise<void> {
    this.server.closeAllConnections();
    await new Promise((closed) => this.server.close(closed));
  }
}

interface Settings {
  checks?: Partial<PassiveChecks>;
  table?: Partial<UpstreamTable>;
  routes?: RouterRow[];
}

/** A gateway in front of these nodes. */
async function gatewayTo(nodes: Node[], settings: Settings = {}) {
  const upstream = (rest: Partial<UpstreamTable> = {}) =>
    table("u", [], {
      nodes: nodes.map(({ port }) => ({ host: "127.0.0.1", port, weight: 1, priority: 0 })),
      retries: nodes.length - 1,
      timeout: { connect: 1, send: 1, read: 0.3 },
      keepalive: { size: 32, idleTimeout: 60, requests: 1_000 },
      ...(settings.checks && { passive: { ...PASSIVE_CHECKS, ...settings.checks } }),
      ...settings.table,
      ...rest,
    });
  const generations = hostedGenerations({ environment: {} });
  const routes = [row("a", { upstream: "u" }), ...(settings.routes ?? [])];
  generations.start(1, artifact({ routes, upstreams: [upstream()] }));
  const changes: (NodeChange & { port: number })[] = [];
  const registry = new MetricsRegistry();
  const events: string[] = [];
  const server = new DataServer({
    generation: () => generations.live,
    onRequestStart: (started) => generations.entered(started),
    onRequestEnd: (ended) => generations.left(ended),
    // Deadlines expire one tick late; this makes a tick 25 ms.
    limits: { headerTimeout: 100 },
    metrics: registry,
    report: (event) => events.push(event),
    nodeChanged: (_, { port }, change) => changes.push({ ...change, port }),
  });
  const { port } = await server.accept({ port: 0, host: "127.0.0.1" });
  onTestFinished(async () => {
    await server.close(0);
    await generations.close(0);
  });
  const send = async (path = "/a", init: RequestInit = {}) => {
    const startedAt = performance.now();
    const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
    await response.text();
    return { status: response.status, ms: performance.now() - startedAt };
  };
  const sendMany = async (count: number, path?: string, init?: RequestInit) => {
    const results = [];
    for (let i = 0; i < count; i++) results.push(await send(path, init));
    return results;
  };
  const ejected = () => changes.filter(({ kind }) => kind === "ejected").map((change) => change.port);
  const becomes = async (rest: Partial<UpstreamTable>) => {
    await generations.prepare(2, delta({ upstreams: { put: [upstream(rest)], remove: [] } }));
    generations.activate();
  };
  return { port, send, sendMany, changes, ejected, becomes, registry, events };
}

const two = () => Promise.all([Node.start(), Node.start()]);

describe("a node of two that hangs", () => {
  it("an ejected node that hangs receives less than 2 percent of the requests, and none of them fails", async () => {
    const [good, bad] = await two();
    bad.behaviour = "hangs";
    // A second: a CPU that others use for 0.3 s would make a responding node look like one that hangs.
    const timeout = { connect: 1, send: 1, read: 1 };
    const gateway = await gatewayTo([good, bad], { checks: { ejectionTime: 0.5 }, table: { timeout } });
    for (let i = 0; gateway.ejected().length === 0 && i < 20; i++) await gateway.send();
    expect(gateway.ejected()).toEqual([bad.port]);
    const before = bad.requests;
    const clients = await Promise.all([1, 2, 3, 4].map(() => gateway.sendMany(500)));
    const results = clients.flat();
    expect(results.filter(({ status }) => status !== 200)).toEqual([]);
    expect(bad.requests - before).toBeLessThan(results.length * 0.02);
  });

  it("an ejected node that responds again returns and receives its share of requests", async () => {
    const [good, bad] = await two();
    bad.behaviour = "hangs";
    const gateway = await gatewayTo([good, bad], { checks: { ejectionTime: 0.2, slowStart: 0.2 } });
    await gateway.sendMany(8);
    expect(gateway.ejected()).toEqual([bad.port]);
    bad.behaviour = "answers";
    await wait(250);
    await gateway.sendMany(4);
    expect(gateway.changes.at(-1)).toMatchObject({ kind: "returned", port: bad.port });
    await wait(250);
    const before = bad.requests;
    await gateway.sendMany(20);
    expect(bad.requests - before).toBe(10);
  });

  it("an ejection lasts into the next generation", async () => {
    const [good, bad] = await two();
    bad.behaviour = "hangs";
    const gateway = await gatewayTo([good, bad]);
    await gateway.sendMany(8);
    await gateway.becomes({ retries: 5, keepalive: { size: 1, idleTimeout: 1, requests: 10 } });
    const before = bad.requests;
    await gateway.sendMany(50);
    expect(bad.requests).toBe(before);
  });

  it("an only node that hangs is tried for every request", async () => {
    const node = await Node.start();
    node.behaviour = "hangs";
    const gateway = await gatewayTo([node]);
    for (const { status } of await gateway.sendMany(6)) expect(status).toBe(504);
    expect(node.requests).toBe(6);
    node.behaviour = "answers";
    expect((await gateway.send()).status).toBe(200);
  });

  it("one node of three is ejected when all hang, and all requests are served when they respond again", async () => {
    const nodes = await Promise.all([Node.start(), Node.start(), Node.start()]);
    for (const node of nodes) node.behaviour = "hangs";
    const gateway = await gatewayTo(nodes, { table: { retries: 0 } });
    await gateway.sendMany(16);
    expect(gateway.ejected()).toHaveLength(1);
    for (const node of nodes) node.behaviour = "answers";
    for (const { status } of await gateway.sendMany(10)) expect(status).toBe(200);
  });
});

describe("nodes that fail at once", () => {
  it("a node is ejected after 5 refused connections, and no request fails", async () => {
    const [good, bad] = await two();
    const { port } = bad;
    const gateway = await gatewayTo([good, bad]);
    await bad.die();
    for (const { status } of await gateway.sendMany(20)) expect(status).toBe(200);
    expect(gateway.changes).toMatchObject([{ kind: "ejected", reason: "tcpFailures", failures: 5, port }]);
    await bad.listen(port);
  });

  it("a node is ejected after connections that are reset before a response", async () => {
    const [good, bad] = await two();
    bad.behaviour = "resets";
    const gateway = await gatewayTo([good, bad]);
    await gateway.sendMany(20);
    expect(gateway.changes).toMatchObject([{ kind: "ejected", reason: "tcpFailures", port: bad.port }]);
  });

  it("a node is ejected for failed requests with a body, although they are not retried", async () => {
    const [good, bad] = await two();
    bad.behaviour = "resets";
    const gateway = await gatewayTo([good, bad]);
    const results = await gateway.sendMany(40, "/a", { method: "POST", body: "order" });
    expect(results.filter(({ status }) => status === 502)).toHaveLength(5);
    expect(good.requests + bad.requests).toBe(40);
  });
});

describe("error responses of a node", () => {
  it("a node that responds with 500 is not ejected by default", async () => {
    const [good, bad] = await two();
    bad.behaviour = "answers 500";
    const gateway = await gatewayTo([good, bad]);
    await gateway.sendMany(100);
    expect(bad.requests).toBe(50);
    expect(gateway.changes).toEqual([]);
  });

  it("a node that responds with 500 is ejected with httpFailures", async () => {
    const [good, bad] = await two();
    bad.behaviour = "answers 500";
    const gateway = await gatewayTo([good, bad], { checks: { httpFailures: 3 } });
    await gateway.sendMany(20);
    expect(bad.requests).toBe(3);
    expect(gateway.changes).toMatchObject([{ kind: "ejected", reason: "httpFailures", port: bad.port }]);
  });
});

describe("failures that clients cause", () => {
  it("a client that disconnects before the response does not count as a failure of the node", async () => {
    const [good, bad] = await two();
    bad.behaviour = "hangs";
    const gateway = await gatewayTo([good, bad], { table: { timeout: { connect: 1, send: 1, read: 30 } } });
    for (let i = 0; i < 40; i++) {
      const leaves = AbortSignal.timeout(20);
      await gateway.send("/a", { signal: leaves }).catch(() => undefined);
    }
    // On a busy machine some clients disconnect before their request reaches the node.
    expect(bad.requests).toBeGreaterThan(5);
    expect(gateway.changes).toEqual([]);
  });

  it("a reset of the node during a slow request body does not count as a failure", async () => {
    const [good, bad] = await two();
    good.behaviour = bad.behaviour = "reads, then resets";
    const gateway = await gatewayTo([good, bad]);
    const half = "POST /a HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf";
    for (let i = 0; i < 20; i++) {
      const socket = connect(gateway.port, "127.0.0.1");
      socket.on("error", () => {}).write(half);
      await new Promise((answered) => socket.once("data", answered));
      socket.destroy();
    }
    expect(good.requests + bad.requests).toBe(20);
    expect(gateway.changes).toEqual([]);
  });

  it("a timeout of a slow path does not count while the node serves other requests", async () => {
    const [good, bad] = await two();
    const gateway = await gatewayTo([good, bad]);
    bad.behaviour = "hangs for some";
    const waiting = Array.from({ length: 20 }, () => gateway.send("/a?slow"));
    for (let i = 0; i < 40; i++) {
      await gateway.send();
      await wait(15);
    }
    await Promise.all(waiting);
    expect(gateway.changes.filter((change) => change.port === bad.port)).toEqual([]);
  });
});

describe("a route with its own timeout", () => {
  const limited = (read: number) => [row("b", { upstream: "u", timeout: { connect: 1, send: 1, read } })];
  const patient = { timeout: { connect: 1, send: 1, read: 30 } };

  it("a very short timeout of a route does not eject a node", async () => {
    const [good, bad] = await two();
    bad.behaviour = "hangs";
    const gateway = await gatewayTo([good, bad], { routes: limited(0.05), table: patient });
    await gateway.sendMany(30, "/b");
    expect(bad.requests).toBeGreaterThanOrEqual(10);
    expect(gateway.changes).toEqual([]);
  });

  it("a timeout of a second on a route ejects a node that hangs", async () => {
    const [good, bad] = await two();
    bad.behaviour = "hangs";
    const gateway = await gatewayTo([good, bad], { routes: limited(1), table: patient });
    await Promise.all(Array.from({ length: 8 }, () => gateway.send("/b")));
    expect(gateway.ejected()).toEqual([bad.port]);
  });
});

describe("retries", () => {
  it("a retry beyond retry_budget is denied, and its request fails and is counted", async () => {
    const [good, bad] = await two();
    bad.behaviour = "resets";
    const retryBudget = { percent: 20, minPerSecond: 0 };
    const gateway = await gatewayTo([good, bad], { checks: { tcpFailures: 0 }, table: { retryBudget } });
    const results = await gateway.sendMany(200);
    const failed = results.filter(({ status }) => status === 502).length;
    expect(good.requests + bad.requests - 200).toBeLessThanOrEqual(41);
    expect(failed).toBeGreaterThan(50);
    expect(gateway.events).toContain("retry_denied");
    const counted = (name: string) =>
      gateway.registry.snapshot().find((one) => one.name === name)?.series[0]?.value;
    expect(counted("gw_upstream_retries_denied_total")).toBe(failed);
    expect(counted("gw_upstream_retries_total")).toBe(good.requests + bad.requests - 200);
  });
});

describe("a flapping node", () => {
  it("each ejection of a flapping node doubles the last duration", async () => {
    const [good, bad] = await two();
    // A calm time as long as an ejection would shorten the next one; a busy machine causes some.
    const gateway = await gatewayTo([good, bad], { checks: { ejectionTime: 0.5, slowStart: 0 } });
    for (let round = 0; round < 2; round++) {
      bad.behaviour = "resets";
      await gateway.sendMany(12);
      bad.behaviour = "answers";
      await wait(550 * 2 ** round);
      await gateway.sendMany(4);
    }
    const times = gateway.changes.flatMap((change) => (change.kind === "ejected" ? [change.ms] : []));
    expect(times).toEqual([500, 1_000]);
  });
});
