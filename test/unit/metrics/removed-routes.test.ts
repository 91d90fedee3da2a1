import { describe, expect, it } from "vitest";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import {
  RETENTION_MS,
  RemovedRoutes,
  routesIn,
  SHOWN_MS,
  withoutRoutes,
} from "../../../runtime/abi/removed-routes.js";
import { WorkerMetrics } from "../../../runtime/control/metrics/worker-metrics.js";
import { ActivityCounter } from "../../../runtime/process/activity.js";

const counted = (registry: MetricsRegistry, route: string) => {
  registry.counter("gw_http_status", "Responses.", { code: "200", route }).add(1);
  registry.histogram("gw_http_latency", "Latency.", { type: "request", route }, [1]).observe(1);
  registry.counter("gw_bandwidth", "Bytes.", { type: "ingress", route }).add(10);
};

describe("removed routes", () => {
  it("a removed route counts as removed after SHOWN_MS, and not when it is back", () => {
    const there = new Set(["a"]);
    const gone = new RemovedRoutes((route) => there.has(route), SHOWN_MS);
    const named = new Set(["a", "b", "", "(overflow)"]);
    expect(gone.among(named, 0)).toEqual(new Set());
    expect(gone.among(named, SHOWN_MS - 1)).toEqual(new Set());
    expect(gone.among(named, SHOWN_MS)).toEqual(new Set(["b"]));
    there.add("b");
    expect(gone.among(named, SHOWN_MS)).toEqual(new Set());
    there.delete("b");
    expect(gone.among(named, SHOWN_MS)).toEqual(new Set());
  });

  it("a removed route leaves the page before workers forget it, so that its sum never shrinks in steps", () => {
    expect(RETENTION_MS).toBeGreaterThan(SHOWN_MS);
  });

  it("a removed route makes room for another below the series limit", () => {
    const registry = new MetricsRegistry(2);
    for (const route of ["a", "b"]) counted(registry, route);
    registry.forgetRoutes(new Set(["a"]));
    counted(registry, "c");
    expect(registry.routes).toEqual(new Set(["b", "c"]));
    expect(registry.snapshot().map(({ name }) => name)).not.toContain("gw_metrics_folded_total");
  });

  it("a removed route is neither on a page nor in the counters of ended workers", async () => {
    const workers = new WorkerMetrics();
    const registry = new MetricsRegistry();
    for (const route of ["a", "b"]) counted(registry, route);
    workers.joined(0, 100, () => {});
    workers.reported(0, registry.snapshot());
    workers.joined(0, 101, () => {});
    expect(routesIn(await workers.collect(0))).toEqual(new Set(["a", "b"]));
    workers.forgetRoutes(new Set(["a"]));
    expect(routesIn(await workers.collect(0))).toEqual(new Set(["b"]));
    expect(routesIn(withoutRoutes(registry.snapshot(), new Set(["a"])))).toEqual(new Set(["b"]));
  });

  it("a removed route does not affect the current activity of other routes", () => {
    const registry = new MetricsRegistry();
    const activity = new ActivityCounter(registry);
    for (const route of ["a", "a", "b"]) counted(registry, route);
    activity.take();
    registry.forgetRoutes(new Set(["a"]));
    counted(registry, "b");
    const { total, routes } = activity.take();
    expect([total.requests, total.bytesIn]).toEqual([1, 10]);
    expect(routes.map(({ route }) => route)).toEqual(["b"]);
    counted(registry, "a");
    expect(activity.take().total.requests).toBe(1);
  });
});
