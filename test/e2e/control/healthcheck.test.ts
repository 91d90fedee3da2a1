import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { freePort } from "../../support/ports.js";
import { readMetrics, total } from "../../support/prometheus.js";
import { ProcessGateway } from "../process/gateway.js";
import { exchange } from "./admin.js";

interface Checked {
  name: string;
  nodes: { port: number; status: string; [more: string]: unknown }[];
}

describe("GET /v1/healthcheck", () => {
  let upstream: Server;
  let gateway: ProcessGateway;
  let good: number;
  let bad: number;

  beforeAll(async () => {
    upstream = createServer((_, response) => response.end("ok"));
    await new Promise<void>((listening) => upstream.listen(0, "127.0.0.1", listening));
    good = (upstream.address() as AddressInfo).port;
    bad = await freePort();
    const nodes = { [`127.0.0.1:${good}`]: 1, [`127.0.0.1:${bad}`]: 1 };
    const checks = { passive: { ejection_time: 600, max_ejection_time: 600 } };
    gateway = await ProcessGateway.start({
      upstreams: [{ id: "shop", nodes, checks }],
      routes: [
        { id: "a", uri: "/a", upstream_id: "shop" },
        { id: "b", uri: "/b", upstream: { nodes } },
        { id: "lone", uri: "/lone", upstream: { nodes: { [`127.0.0.1:${bad}`]: 1 } } },
      ],
    });
  });
  afterAll(async () => {
    await gateway.end();
    upstream.closeAllConnections();
    upstream.close();
  });

  const ask = (path = "", key: string | undefined = ProcessGateway.KEY) =>
    exchange(
      gateway.adminPort,
      "GET",
      `/v1/healthcheck${path}`,
      undefined,
      key === undefined ? {} : { "X-API-KEY": key },
    );
  const shop = async () => JSON.parse((await ask("/upstreams/shop")).text) as Checked;

  it("the health check reports all nodes as healthy at first, and needs the right key", async () => {
    const { status, text } = await ask();
    expect(status).toBe(200);
    const all = JSON.parse(text) as Checked[];
    expect(all.map(({ name }) => name).sort()).toEqual([
      "/gw/routes/b",
      "/gw/routes/lone",
      "/gw/upstreams/shop",
    ]);
    for (const { status } of all.flatMap(({ nodes }) => nodes)) expect(status).toBe("healthy");
    expect((await ask("", "another")).status).toBe(401);
  });

  it("the health check reports an ejected node, with the failures that all workers counted", async () => {
    const found = await until(async () => {
      for (let i = 0; i < 10; i++) expect((await gateway.get("/a")).status).toBe(200);
      const now = await shop();
      return now.nodes.some(({ status }) => status === "unhealthy") ? now : undefined;
    });
    const [well, out] = [good, bad].map((port) => found.nodes.find((node) => node.port === port));
    expect(well).toMatchObject({ status: "healthy", counter: { tcp_failure: 0 }, workers: { healthy: 2 } });
    expect(out).toMatchObject({
      ip: "127.0.0.1",
      hostname: "127.0.0.1",
      status: "unhealthy",
      counter: { tcp_failure: 10, timeout_failure: 0, http_failure: 0 },
      ejections: 2,
      workers: { healthy: 0, failing: 0, ejected: 2, half_open: 0, slow_start: 0 },
    });
  });

  it("an ejection is reported by the Prometheus metrics and in the log", async () => {
    const { text } = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
    const families = readMetrics(text);
    const labels = { upstream: "shop", node: `127.0.0.1:${bad}` };
    expect(total(families, "gw_upstream_node_state", { ...labels, state: "ejected" })).toBe(2);
    const reason = "tcp_failures";
    expect(total(families, "gw_upstream_node_ejections_total", { ...labels, reason })).toBe(2);
    expect(total(families, "gw_upstream_node_failures_total", { ...labels, reason })).toBe(10);
    expect(text).not.toContain(`upstream="shop",node="127.0.0.1:${good}",state`);
    const line = gateway.errors.split("\n").find((one) => one.includes('"node_ejected"')) ?? "{}";
    expect(JSON.parse(line)).toMatchObject({
      event: "node_ejected",
      ...labels,
      reason,
      failures: 5,
      seconds: 600,
    });
  });

  it("a single node that refuses connections is reported as failing, and not ejected", async () => {
    const lone = async () => (JSON.parse((await ask("/routes/lone")).text) as Checked).nodes[0];
    expect((await gateway.get("/lone")).status).toBe(502);
    const first = await until(async () => {
      const node = await lone();
      return node?.status === "failing" ? node : undefined;
    });
    expect(first).toMatchObject({ workers: { failing: 1, healthy: 1, ejected: 0 } });
    const all = await until(async () => {
      expect((await gateway.get("/lone")).status).toBe(502);
      const node = await lone();
      return (node?.["workers"] as { failing: number } | undefined)?.failing === 2 ? node : undefined;
    });
    expect(all).toMatchObject({ status: "failing", workers: { healthy: 0 }, ejections: 0 });
    const { text } = await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics");
    const labels = { upstream: "route:lone", node: `127.0.0.1:${bad}` };
    expect(total(readMetrics(text), "gw_upstream_node_state", { ...labels, state: "failing" })).toBe(2);
    expect(total(readMetrics(text), "gw_upstream_node_state", { ...labels, state: "healthy" })).toBe(0);
  });

  it.each([
    ["/routes/b", 200],
    ["/routes/a", 404],
    ["/upstreams/none", 404],
    ["/upstreams", 404],
    ["/upstreams/shop/more", 404],
    ["/nodes/1", 400],
    ["/constructor/1", 400],
  ])("the health check of %s responds with %i", async (path, status) => {
    expect((await ask(path)).status).toBe(status);
  });

  it("a missing health check is reported with the reference's error message", async () => {
    expect(JSON.parse((await ask("/routes/9")).text)).toEqual({ error_msg: "no checker for routes[9]" });
    expect(JSON.parse((await ask("/x/9")).text)).toEqual({ error_msg: "invalid src type x" });
  });

  it("DELETE of the health check is rejected with 405", async () => {
    const headers = { "X-API-KEY": ProcessGateway.KEY };
    const { status } = await exchange(gateway.adminPort, "DELETE", "/v1/healthcheck", undefined, headers);
    expect(status).toBe(405);
  });
});
