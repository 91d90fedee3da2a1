import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";
import { RETENTION_MS } from "../../../runtime/abi/removed-routes.js";
import { startGateway } from "../../../runtime/control/embed.js";
import { until } from "../../support/patience.js";
import { type Family, readMetrics, total } from "../../support/prometheus.js";
import { ADMIN_KEY, AdminGateway, exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";

const PAGE = "/gw/prometheus/metrics";
let upstream: Server;
let nodes: Record<string, number>;

beforeAll(async () => {
  upstream = createServer((_, response) => response.end("ok"));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  nodes = { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 };
});
afterAll(() => {
  upstream.close();
  upstream.closeAllConnections();
});

const routes = () => ({ routes: [{ id: "shop", uri: "/shop", upstream: { type: "roundrobin", nodes } }] });

async function page(gateway: ProcessGateway): Promise<Map<string, Family>> {
  const { status, text } = await exchange(gateway.metricsPort, "GET", PAGE);
  expect(status).toBe(200);
  return readMetrics(text);
}

const served = async (gateway: ProcessGateway) =>
  total(await page(gateway), "gw_http_status", { code: "200", route: "shop" });

describe("the metrics page of a gateway of several processes", () => {
  let gateway: ProcessGateway;
  beforeAll(async () => {
    gateway = await ProcessGateway.start(routes());
  });
  afterAll(() => gateway.end());

  it("the metrics page sums requests of workers and describes the gateway, its processes and its writes", async () => {
    for (let i = 0; i < 20; i++) expect((await gateway.get("/shop")).status).toBe(200);
    await gateway.get("/nowhere");
    const families = await until(async () => {
      const now = await page(gateway);
      return total(now, "gw_http_status", { route: "shop" }) === 20 ? now : undefined;
    });
    expect(total(families, "gw_http_status", { code: "404", route: "" })).toBe(1);
    expect(total(families, "gw_http_latency_count", { type: "request", route: "shop" })).toBe(20);
    expect(total(families, "gw_bandwidth", { type: "egress", route: "shop" })).toBeGreaterThan(20);
    expect(total(families, "gw_build_info")).toBe(1);
    expect(total(families, "gw_workers")).toBe(2);
    expect(total(families, "gw_ready")).toBe(1);
    const processes = (name: string) =>
      (families.get(name)?.samples ?? []).map(({ labels }) => labels["process"]).sort();
    for (const name of ["process_cpu_seconds_total", "process_resident_memory_bytes", "process_open_fds"])
      expect(processes(name)).toEqual(["control", "worker-0", "worker-1"]);
    for (const { value } of families.get("process_start_time_seconds")?.samples ?? [])
      expect(value).toBeLessThanOrEqual(Date.now() / 1_000 + 1);
    expect(total(families, "nodejs_version_info", { version: process.version })).toBe(3);
    expect(total(families, "gw_config_compile_seconds_count", { work: "load" })).toBe(1);
    expect(families.get("gw_gc_pause_seconds")?.type).toBe("histogram");
    const { status } = await gateway.admin("PUT", "/routes/more", { uri: "/more", upstream: { nodes } });
    expect(status).toBe(201);
    await gateway.admin("PUT", "/routes/more", { uri: 1 });
    const after = await page(gateway);
    expect(total(after, "gw_generation")).toBe(total(families, "gw_generation") + 1);
    expect(total(after, "gw_config_writes_total", { outcome: "accepted" })).toBe(1);
    expect(total(after, "gw_config_writes_total", { outcome: "refused" })).toBe(1);
    expect(total(after, "gw_config_compile_seconds_count", { work: "write" })).toBe(2);
    expect(total(after, "gw_config_last_write_timestamp_seconds")).toBeGreaterThan(1_700_000_000);
  });

  it("request counts do not fall when workers or control are killed", async () => {
    const before = await served(gateway);
    for (const { pid } of await gateway.workers()) {
      process.kill(pid, "SIGKILL");
      await until(async () => {
        const workers = await gateway.workers();
        return workers.length === 2 && workers.every((worker) => worker.pid !== pid);
      });
      expect(await served(gateway)).toBe(before);
    }
    await gateway.get("/shop");
    await until(async () => (await served(gateway)) === before + 1);
    process.kill(gateway.child("control"), "SIGKILL");
    await until(() =>
      gateway
        .ready()
        .catch(() => undefined)
        .then((ready) => ready || undefined),
    );
    expect(await served(gateway)).toBe(before + 1);
  });

  it("the metrics server responds to GET and HEAD on its path only, with gzip on request", async () => {
    const call = (method: string, path: string, headers = {}) =>
      exchange(gateway.metricsPort, method, path, undefined, headers);
    expect((await call("GET", "/metrics")).status).toBe(404);
    expect((await call("POST", PAGE)).status).toBe(405);
    const { headers, text } = await call("HEAD", PAGE);
    expect([headers["content-type"], text]).toEqual(["text/plain; version=0.0.4; charset=utf-8", ""]);
    const packed = await fetch(`http://127.0.0.1:${gateway.metricsPort}${PAGE}`, {
      headers: { "accept-encoding": "gzip" },
    });
    expect(packed.headers.get("content-encoding")).toBe("gzip");
    expect(readMetrics(await packed.text()).has("gw_http_status")).toBe(true);
  });
});

describe("the metrics page of a gateway in one process", () => {
  it("a gateway in one process has a metrics page with one worker and one process", async () => {
    const gateway = await AdminGateway.start(JSON.stringify(routes()));
    try {
      await exchange(gateway.port("data"), "GET", "/shop");
      const families = await until(async () => {
        const { text } = await exchange(gateway.port("metrics"), "GET", PAGE);
        const now = readMetrics(text);
        return total(now, "gw_http_status", { code: "200", route: "shop" }) === 1 ? now : undefined;
      });
      expect(total(families, "gw_workers")).toBe(1);
      const processes = families.get("process_start_time_seconds")?.samples.map(({ labels }) => labels);
      expect(processes).toEqual([{ process: "control" }]);
    } finally {
      await gateway.stop();
    }
  });

  it("the series of a deleted route end after the retention time, and those of others stay", async () => {
    const gateway = await AdminGateway.start(JSON.stringify(routes()));
    try {
      const seen = async () => {
        const { text } = await exchange(gateway.port("metrics"), "GET", PAGE);
        const { samples = [] } = readMetrics(text).get("gw_http_status") ?? {};
        return samples.flatMap(({ labels }) => labels["route"] || []).sort();
      };
      await gateway.call("PUT", "/routes/brief", { uri: "/brief", upstream: { nodes } });
      for (const path of ["/shop", "/brief"]) await exchange(gateway.port("data"), "GET", path);
      await expect.poll(seen).toEqual(["brief", "shop"]);
      await gateway.call("DELETE", "/routes/brief");
      expect(await seen()).toEqual(["brief", "shop"]);
      const real = performance.now.bind(performance);
      const later = vi.spyOn(performance, "now").mockImplementation(() => real() + RETENTION_MS);
      onTestFinished(() => later.mockRestore());
      expect(await seen()).toEqual(["shop"]);
      expect(await seen()).toEqual(["shop"]);
    } finally {
      await gateway.stop();
    }
  });

  it("latency series are folded above series_limit, which is logged, and drop_labels removes labels", async () => {
    const many = Array.from({ length: 120 }, (_, i) => ({ id: `r${i}`, uri: `/r${i}`, upstream: { nodes } }));
    const folded = async (settings: object) => {
      const gateway = await ProcessGateway.prepare(routes());
      onTestFinished(() => gateway.end());
      const export_addr = { ip: "127.0.0.1", port: gateway.metricsPort };
      gateway.write(
        { routes: many, plugin_attr: { prometheus: { export_addr, ...settings } } },
        { workers: 1 },
      );
      await gateway.open();
      for (const { uri } of many) expect((await gateway.get(uri)).status).toBe(200);
      return until(async () => {
        const now = await page(gateway);
        const seen = total(now, "gw_http_latency_count", { type: "request" }) >= many.length;
        return seen ? { gateway, families: now } : undefined;
      });
    };
    const narrow = await folded({ series_limit: 100 });
    expect(total(narrow.families, "gw_metrics_folded_total", { metric: "gw_http_latency" })).toBeGreaterThan(
      0,
    );
    const lines = narrow.gateway.errors.split("\n").filter((line) => line.includes('"metric_folded"'));
    expect(lines.map((line) => (JSON.parse(line) as { metric: string }).metric)).toContain("gw_http_latency");
    expect(new Set(lines).size).toBe(lines.length);
    const wide = await folded({ series_limit: 1_000, drop_labels: ["consumer", "node", "matched_uri"] });
    expect(wide.families.has("gw_metrics_folded_total")).toBe(false);
    const labels = { type: "request", route: "r119" };
    expect(total(wide.families, "gw_http_latency_count", labels)).toBe(1);
    for (const name of ["gw_http_status", "gw_http_latency", "gw_bandwidth"])
      for (const { labels: left } of wide.families.get(name)?.samples ?? [])
        expect(["consumer", "node", "matched_uri"].filter((label) => label in left)).toEqual([]);
  });

  it("the metrics page has the address and path of plugin_attr.prometheus, or can be disabled", async () => {
    const gateway = await ProcessGateway.prepare(routes());
    const { metricsPort } = gateway;
    const prometheus = { export_addr: { ip: "127.0.0.1", port: metricsPort }, export_uri: "/here" };
    gateway.write({ ...routes(), plugin_attr: { prometheus } }, { workers: 0 });
    await gateway.open();
    expect(gateway.output).toContain(`metrics  http://127.0.0.1:${metricsPort}/here`);
    expect((await exchange(metricsPort, "GET", "/here")).status).toBe(200);
    await gateway.stop();
    gateway.write({ ...routes(), plugin_attr: { prometheus: { enable_export_server: false } } });
    await gateway.open();
    expect(gateway.output).not.toContain("metrics");
    await expect(exchange(metricsPort, "GET", PAGE)).rejects.toThrow("ECONNREFUSED");
    await gateway.end();
  });
});

describe("a metrics address in use", () => {
  it("a configured metrics address in use stops the start, and an optional one disables the page", async () => {
    const { port } = upstream.address() as AddressInfo;
    const anywhere = (setting: string) => ({ host: "127.0.0.1", port: 0, setting });
    const taken = { host: "127.0.0.1", port, setting: "the metrics", uri: PAGE };
    const settings = {
      data: [anywhere("data")],
      admin: anywhere("admin"),
      status: anywhere("status"),
      adminKeys: [{ name: "a", key: ADMIN_KEY, role: "admin" as const }],
    };
    await expect(startGateway({ store: false, settings: { ...settings, metrics: taken } })).rejects.toThrow(
      `port ${port} is already in use`,
    );
    const metrics = { ...taken, optional: true as const };
    const gateway = await startGateway({ store: false, settings: { ...settings, metrics } });
    expect(gateway.addresses.metrics).toEqual([]);
    await gateway.close(0);
  });
});
