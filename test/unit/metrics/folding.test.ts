import { describe, expect, it } from "vitest";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import { PoolMetrics } from "../../../runtime/proxy/host/pool-metrics.js";
import { RequestMetrics } from "../../../runtime/proxy/host/request-metrics.js";
import { finishedExchange } from "../../support/finished-exchange.js";

const seriesOf = (registry: MetricsRegistry, name: string) =>
  registry.snapshot().find((family) => family.name === name)?.series ?? [];
const foldedOf = (registry: MetricsRegistry) =>
  Object.fromEntries(
    seriesOf(registry, "gw_metrics_folded_total").map(({ labels, value }) => [labels["metric"], value]),
  );

describe("a metric with more series than its limit", () => {
  const count = (registry: MetricsRegistry, route: string, code: string) =>
    registry.counter("requests", "Requests.", { code, route }).add(1);

  it("a metric beyond its limit counts further routes together, by code, and counts the folded series", () => {
    const registry = new MetricsRegistry(3);
    for (const route of ["a", "b", "c", "d", "e", "a"]) count(registry, route, "200");
    count(registry, "d", "502");
    expect(seriesOf(registry, "requests").map(({ labels, value }) => [labels, value])).toEqual([
      [{ code: "200", route: "a" }, 2],
      [{ code: "200", route: "b" }, 1],
      [{ code: "200", route: "c" }, 1],
      [{ code: "200", route: "(overflow)" }, 2],
      [{ code: "502", route: "(overflow)" }, 1],
    ]);
    expect(foldedOf(registry)).toEqual({ requests: 3 });
  });

  it("a metric stays bounded even if a label with few expected values takes any value", () => {
    const registry = new MetricsRegistry(3);
    for (let n = 0; n < 5_000; n++) count(registry, `${n}`, `${n}`);
    const series = seriesOf(registry, "requests");
    expect(series.length).toBeLessThan(1_010);
    expect(series.reduce((sum, { value }) => sum + value, 0)).toBe(5_000);
    expect(series.at(-1)?.labels).toEqual({ code: "(overflow)", route: "(overflow)" });
  });

  it("a registry reports each metric that it folds once, and keeps as many series as its limit allows", () => {
    const registry = new MetricsRegistry();
    const told: string[] = [];
    registry.bound({ limit: 2, dropped: [] }, (metric) => told.push(metric));
    for (const route of ["a", "b"]) count(registry, route, "200");
    expect(told).toEqual([]);
    for (const route of ["c", "d", "e"]) count(registry, route, "200");
    for (const zone of ["a", "b", "c"]) registry.gauge("zones", "Zones.", { zone }).set(1);
    expect(told).toEqual(["requests", "zones"]);
    expect(seriesOf(registry, "requests").map(({ labels }) => labels["route"])).toEqual([
      "a",
      "b",
      "(overflow)",
    ]);
  });

  it("a folded gauge is the sum of its levels, each counted once, without forgotten ones", () => {
    const registry = new MetricsRegistry(2);
    const level = (node: string) => registry.gauge("nodes", "Nodes.", { node, state: "ejected" });
    for (const node of ["a", "b", "c", "d"]) level(node).set(1);
    // Repeated updates, as when pages are read.
    for (const node of ["a", "b", "c", "d"]) level(node).set(node === "d" ? 5 : 1);
    const shown = () => seriesOf(registry, "nodes").map(({ labels, value }) => [labels["node"], value]);
    expect(shown()).toEqual([
      ["a", 1],
      ["b", 1],
      ["(overflow)", 6],
    ]);
    expect(foldedOf(registry)).toEqual({ nodes: 2 });
    registry.forget("nodes", { node: "c", state: "ejected" });
    expect(shown().at(-1)).toEqual(["(overflow)", 5]);
    const kept = level("d");
    registry.forget("nodes", { node: "d", state: "ejected" });
    kept.set(9);
    expect(shown().map(([node]) => node)).toEqual(["a", "b"]);
    registry.forget("nodes", { node: "a", state: "ejected" });
    level("d").set(3);
    expect(shown()).toEqual([
      ["b", 1],
      ["d", 3],
    ]);
  });

  it("a folded gauge of timestamps or ages is the highest of its levels", () => {
    const registry = new MetricsRegistry(1);
    for (const name of ["gw_upstream_node_last_failure_timestamp_seconds", "gw_spool_oldest_seconds"]) {
      const level = (node: string) => registry.gauge(name, "Levels.", { node });
      const shown = () => seriesOf(registry, name).at(-1)?.value;
      level("a").set(1_000);
      level("b").set(50);
      level("c").set(70);
      level("d").set(60);
      expect(shown()).toBe(70);
      level("c").set(40);
      expect(shown()).toBe(60);
      registry.forget(name, { node: "d" });
      expect(shown()).toBe(50);
    }
  });

  it("a level that its owner calls (overflow) counts as one of the folded levels", () => {
    const registry = new MetricsRegistry(1);
    const level = (node: string) => registry.gauge("nodes", "Nodes.", { node });
    for (const node of ["a", "b", "(overflow)"]) level(node).set(2);
    expect(seriesOf(registry, "nodes").at(-1)).toEqual({ labels: { node: "(overflow)" }, value: 4 });
    registry.forget("nodes", { node: "(overflow)" });
    expect(seriesOf(registry, "nodes").at(-1)).toEqual({ labels: { node: "(overflow)" }, value: 2 });
  });

  it("a folded gauge stores ten thousand levels and drops further ones", () => {
    const registry = new MetricsRegistry(1);
    for (let n = 0; n <= 10_100; n++) registry.gauge("nodes", "Nodes.", { node: `${n}` }).set(1);
    expect(seriesOf(registry, "nodes").at(-1)?.value).toBe(10_000);
    expect(foldedOf(registry)).toEqual({ nodes: 10_000 });
  });

  it("a dropped label is removed from request metrics only, and their series are added up", () => {
    const registry = new MetricsRegistry();
    registry.bound({ limit: 10, dropped: ["node", "consumer"] }, () => {});
    for (const node of ["a", "b"]) {
      registry.counter("gw_http_status", "Responses.", { code: "200", consumer: "", node }).add(1);
      registry.histogram("gw_http_latency", "Latency.", { type: "gw", node }, [1]).observe(2);
      registry.gauge("gw_upstream_node_state", "Workers.", { node, state: "ejected" }).set(1);
    }
    expect(seriesOf(registry, "gw_http_status")).toEqual([{ labels: { code: "200" }, value: 2 }]);
    expect(seriesOf(registry, "gw_http_latency")).toEqual([
      { labels: { type: "gw" }, value: 4, counts: [0, 2] },
    ]);
    expect(seriesOf(registry, "gw_upstream_node_state")).toHaveLength(2);
  });

  it.each([
    { dropped: [], folded: { gw_http_status: 50 } },
    { dropped: ["consumer"], folded: {} },
  ])(
    "a registry folds the series of the 201st consumer unless the label is dropped: $dropped",
    ({ dropped, folded }) => {
      const registry = new MetricsRegistry();
      registry.bound({ limit: 2_000, dropped }, () => {});
      const metrics = new RequestMetrics(registry, dropped);
      for (let n = 0; n < 500; n++) metrics.finished(finishedExchange({ consumer: `c${n % 250}` }), 0);
      expect(foldedOf(registry)).toEqual(folded);
      const sum = seriesOf(registry, "gw_http_status").reduce((all, { value }) => all + value, 0);
      expect(sum).toBe(500);
    },
  );

  it("a registry has no counter of folded series while nothing is folded", () => {
    const registry = new MetricsRegistry(3);
    count(registry, "a", "200");
    expect(seriesOf(registry, "gw_metrics_folded_total")).toEqual([]);
  });
});

describe("the metrics of connection pools", () => {
  const harness = () => {
    const registry = new MetricsRegistry();
    const metrics = new PoolMetrics(registry);
    const pool = (node: string, idle: number, busy: number) => {
      const made = { opened: idle + busy, levels: { idle, busy } };
      metrics.made(node, made);
      return made;
    };
    const levels = async () => {
      await registry.collect(1_000);
      return seriesOf(registry, "gw_upstream_connections").map(({ labels, value }) => [
        labels["node"],
        labels["state"],
        value,
      ]);
    };
    const opened = () => seriesOf(registry, "gw_upstream_connections_opened_total")[0]?.value;
    return { registry, metrics, pool, levels, opened };
  };

  it("the connection metrics of a node are the sums of all its pools, and disappear with its last connection", async () => {
    const { pool, levels, opened } = harness();
    const first = pool("a:80", 2, 1);
    const second = pool("a:80", 0, 3);
    pool("b:80", 0, 0);
    expect(await levels()).toEqual([
      ["a:80", "idle", 2],
      ["a:80", "busy", 4],
    ]);
    expect(opened()).toBe(6);
    first.opened += 5;
    first.levels = { idle: 0, busy: 0 };
    expect(await levels()).toEqual([
      ["a:80", "idle", 0],
      ["a:80", "busy", 3],
    ]);
    expect(opened()).toBe(11);
    second.levels = { idle: 0, busy: 0 };
    expect(await levels()).toEqual([]);
  });

  it("the connection metrics drop a node without connections, and count those of a pool until its end", async () => {
    const { metrics, pool, levels, opened } = harness();
    const first = pool("a:80", 1, 0);
    await levels();
    first.opened += 1;
    first.levels = { idle: 0, busy: 0 };
    metrics.gone(first);
    expect(await levels()).toEqual([]);
    expect(opened()).toBe(2);
  });

  it("the connection metrics list five hundred nodes and add up the others", async () => {
    const { registry, pool, levels } = harness();
    for (let n = 0; n < 600; n++) pool(`n${n}:80`, 1, 0);
    expect(await levels()).toHaveLength(1_002);
    expect((await levels()).filter(([node]) => node === "(overflow)")).toEqual([
      ["(overflow)", "idle", 100],
      ["(overflow)", "busy", 0],
    ]);
    expect(foldedOf(registry)).toEqual({ gw_upstream_connections: 200 });
  });
});
