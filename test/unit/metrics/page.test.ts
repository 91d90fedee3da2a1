import { describe, expect, it } from "vitest";
import type { MetricFamily } from "../../../runtime/abi/metrics.js";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import { metricsText } from "../../../runtime/control/metrics/server.js";
import { aggregateMetrics, WorkerMetrics } from "../../../runtime/control/metrics/worker-metrics.js";
import { readMetrics, total } from "../../support/prometheus.js";

/** Metrics of a worker: requests by code, connections and latencies. */
function counted(requests: number, connections: number, latencies: number[] = []): MetricFamily[] {
  const registry = new MetricsRegistry();
  registry.counter("requests", "Requests.", { code: "200" }).add(requests);
  registry.gauge("connections", "Connections.", {}).set(connections);
  const histogram = registry.histogram("latency", "Latency.", { type: "request" }, [1, 10]);
  for (const latency of latencies) histogram.observe(latency);
  return registry.snapshot();
}

const page = async (families: MetricFamily[]) => readMetrics(await metricsText(families));

describe("the text of metrics", () => {
  it("the metrics page prints counters, gauges and cumulative buckets with help and type", async () => {
    const text = await metricsText(counted(3, 2, [0.5, 5, 5, 50]));
    expect(text.split("\n").filter((line) => line !== "")).toEqual([
      "# HELP requests Requests.",
      "# TYPE requests counter",
      'requests{code="200"} 3',
      "# HELP connections Connections.",
      "# TYPE connections gauge",
      "connections 2",
      "# HELP latency Latency.",
      "# TYPE latency histogram",
      'latency_bucket{type="request",le="1"} 1',
      'latency_bucket{type="request",le="10"} 3',
      'latency_bucket{type="request",le="+Inf"} 4',
      'latency_sum{type="request"} 60.5',
      'latency_count{type="request"} 4',
    ]);
    expect(readMetrics(text).size).toBe(3);
  });

  it("the metrics page escapes quotes, backslashes and line ends in labels and help", async () => {
    const registry = new MetricsRegistry();
    const hostile = 'a"b\\c\nd{e="f"} 1';
    registry.counter("one", 'Help with \\ and\nan end and "quotes".', { label: hostile }).add(1);
    const families = await page(registry.snapshot());
    expect(families.get("one")?.help).toBe('Help with \\ and\nan end and "quotes".');
    expect(families.get("one")?.samples).toEqual([{ name: "one", labels: { label: hostile }, value: 1 }]);
  });
});

describe("sums over workers", () => {
  it("the aggregation over workers adds series with the same labels and no others", async () => {
    const more = new MetricsRegistry();
    more.counter("requests", "Requests.", { code: "404" }).add(5);
    const parts = [counted(3, 2, [5]), counted(4, 1, [0.5, 50]), more.snapshot()];
    const families = await page(aggregateMetrics(parts.map((part) => ({ families: part, ended: false }))));
    expect(total(families, "requests", { code: "200" })).toBe(7);
    expect(total(families, "requests", { code: "404" })).toBe(5);
    expect(total(families, "connections")).toBe(3);
    expect(total(families, "latency_count")).toBe(3);
    expect(total(families, "latency_bucket", { le: "10" })).toBe(2);
  });

  it("the aggregation over workers takes the highest of timestamps, ages, epochs and levels", () => {
    const part = (value: number) => {
      const registry = new MetricsRegistry();
      const names = [
        "gw_spool_oldest_seconds",
        "gw_spool_shipper_epoch",
        "gw_a_timestamp_seconds",
        "gw_a_level",
        "gw_spool_bytes",
      ];
      for (const name of names) registry.gauge(name, "A level.", { address: "a" }).set(value);
      return { families: registry.snapshot(), ended: false };
    };
    expect(aggregateMetrics([part(20), part(30)]).map(({ series }) => series[0]?.value)).toEqual([
      30, 30, 30, 30, 50,
    ]);
  });

  it("the aggregation over workers does not change its inputs", () => {
    const [one, two] = [counted(3, 2, [5]), counted(4, 1, [5])];
    const before = structuredClone([one, two]);
    const parts = [one, two].map((families) => ({ families, ended: false }));
    expect(aggregateMetrics(parts)).toEqual(aggregateMetrics(parts));
    expect([one, two]).toEqual(before);
  });

  it("the aggregation over workers drops a metric that another version reports with another type", () => {
    const other = new MetricsRegistry();
    other.gauge("requests", "Requests.", { code: "200" }).set(9);
    const families = aggregateMetrics([
      { families: counted(3, 2), ended: false },
      { families: other.snapshot(), ended: false },
    ]);
    expect(families[0]).toMatchObject({ type: "counter", series: [{ value: 3 }] });
  });
});

describe("the metrics of workers that start and end", () => {
  const value = async (metrics: WorkerMetrics, name: string) =>
    total(await page(await metrics.collect(0)), name);

  it("the collection of metrics asks every worker and ends as soon as all have replied", async () => {
    const metrics = new WorkerMetrics();
    for (const index of [0, 1])
      metrics.joined(index, 100 + index, (number) => metrics.reported(index, counted(10, 1), number));
    const families = await page(await metrics.collect(60_000));
    expect(total(families, "requests")).toBe(20);
  });

  it("the collection of metrics uses the last report of a worker that does not reply in time", async () => {
    const metrics = new WorkerMetrics();
    metrics.joined(0, 100, () => {});
    metrics.reported(0, counted(7, 1));
    expect(await value(metrics, "requests")).toBe(7);
  });

  it("the collection of metrics does not wait for a worker that ends meanwhile", async () => {
    const metrics = new WorkerMetrics();
    metrics.joined(0, 100, () => metrics.left(0, 100));
    metrics.reported(0, counted(7, 1));
    expect(total(await page(await metrics.collect(60_000)), "requests")).toBe(7);
  });

  it("the metrics of an ended worker keep its counters and drop its gauges", async () => {
    const metrics = new WorkerMetrics();
    metrics.joined(0, 100, () => {});
    metrics.reported(0, counted(7, 3, [5]));
    metrics.left(0, 100);
    expect([await value(metrics, "requests"), await value(metrics, "connections")]).toEqual([7, 0]);
    metrics.joined(0, 200, () => {});
    expect([await value(metrics, "requests"), await value(metrics, "latency_count")]).toEqual([7, 1]);
    metrics.reported(0, counted(2, 1));
    expect([await value(metrics, "requests"), await value(metrics, "connections")]).toEqual([9, 1]);
  });

  it("a worker that reconnects counts once", async () => {
    const metrics = new WorkerMetrics();
    metrics.joined(0, 100, () => {});
    metrics.reported(0, counted(7, 3));
    metrics.left(0, 100);
    metrics.joined(0, 100, () => {});
    metrics.reported(0, counted(8, 2));
    expect([await value(metrics, "requests"), await value(metrics, "connections")]).toEqual([8, 2]);
  });

  it("the next control process takes over the counters of ended workers", async () => {
    let kept: readonly MetricFamily[] = [];
    const retained = {
      load: () => kept,
      save: (families: readonly MetricFamily[]) => void (kept = families),
    };
    const first = new WorkerMetrics(retained);
    for (const pid of [100, 200]) {
      first.joined(0, pid, () => {});
      first.reported(0, counted(pid, 1));
    }
    const next = new WorkerMetrics(retained);
    next.joined(0, 200, () => {});
    next.reported(0, counted(200, 1));
    expect(await value(next, "requests")).toBe(300);
  });
});
