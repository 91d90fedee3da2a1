import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useUpstream } from "../../support/http-upstream.js";
import { LineServer } from "../../support/line-server.js";
import { until } from "../../support/patience.js";
import { readMetrics, total } from "../../support/prometheus.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";

const upstream = useUpstream();

let sink: LineServer;
let gateway: ProcessGateway;
beforeEach(async () => {
  sink = await LineServer.start();
  gateway = await ProcessGateway.start({});
});
afterEach(async () => {
  await gateway.end();
  await sink.stop();
});

const page = async () =>
  readMetrics((await exchange(gateway.metricsPort, "GET", "/gw/prometheus/metrics")).text);

async function attach(id: string, plugins: object): Promise<void> {
  const route = { uri: `/${id}`, upstream: { type: "roundrobin", nodes: upstream.nodes }, plugins };
  const { status, text } = await gateway.admin("PUT", `/routes/${id}`, route);
  expect(status, text).toBe(201);
  for (let i = 0; i < 6; i++) expect((await gateway.get(`/${id}`)).status).toBe(200);
}

describe("the metrics of loggers", () => {
  it("[log.broker.name] gw_batch_process_entries counts pending entries of all workers by name, route and server", async () => {
    const waiting = { inactive_timeout: 600, buffer_duration: 600 };
    const brokers = [{ host: "127.0.0.1", port: 1 }];
    await attach("a", { "broker-logger": { brokers, broker_topic: "t", name: "shop logs", ...waiting } });
    await attach("b", { syslog: { host: "127.0.0.1", port: sink.port, ...waiting } });
    const families = await until(async () => {
      const now = await page();
      return total(now, "gw_batch_process_entries") === 12 ? now : undefined;
    });
    const { type, samples = [] } = families.get("gw_batch_process_entries") ?? {};
    expect(type).toBe("gauge");
    expect(samples).toHaveLength(2);
    for (const { labels } of samples)
      expect(Object.keys(labels).sort()).toEqual(["name", "route_id", "server_addr"]);
    const entries = (labels: Record<string, string>) => total(families, "gw_batch_process_entries", labels);
    expect(entries({ name: "shop logs", route_id: "a" })).toBe(6);
    expect(entries({ name: "sys logger", route_id: "b" })).toBe(6);
  });

  it("gw_log_entries_sent_total keeps its count after a worker is killed", async () => {
    await attach("b", { syslog: { host: "127.0.0.1", port: sink.port, batch_max_size: 1 } });
    await sink.records(6);
    const sent = async () => total(await page(), "gw_log_entries_sent_total", { route_id: "b" });
    await until(async () => (await sent()) === 6);
    const [worker] = await gateway.workers();
    process.kill(worker?.pid ?? 0, "SIGKILL");
    await until(async () => {
      const pids = (await gateway.workers()).map(({ pid }) => pid);
      return pids.length === 2 && !pids.includes(worker?.pid ?? 0);
    });
    expect(await sent()).toBe(6);
    const families = await page();
    expect(total(families, "gw_batch_process_entries")).toBe(0);
    expect(total(families, "gw_log_bytes_sent_total", { route_id: "b" })).toBeGreaterThan(600);
    expect(families.get("gw_log_flush_seconds")?.type).toBe("histogram");
  });
});
