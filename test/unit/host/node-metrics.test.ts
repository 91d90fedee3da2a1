import { describe, expect, it } from "vitest";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import { PASSIVE_CHECKS } from "../../../runtime/abi/passive-checks.js";
import { NodeMetrics } from "../../../runtime/proxy/host/node-metrics.js";
import { liveNode } from "../../../runtime/proxy/upstream/balancer.js";

function harness() {
  const registry = new MetricsRegistry();
  let now = 1_000;
  const metrics = new NodeMetrics(registry, () => now);
  const node = liveNode({ host: "a", port: 80 }, "http://a:80 1/1/1");
  const fail = (times: number) => {
    for (let i = 0; i < times; i++) {
      node.health.lastFailure = { error: "timeout", at: now };
      const change = node.health.failed(
        "timeouts",
        { startedAt: now, endedAt: now },
        PASSIVE_CHECKS,
        () => true,
      );
      if (change === undefined) metrics.failed("u", node);
      else metrics.changed("u", node, change);
    }
  };
  const series = async (name: string) => {
    const families = await registry.collect(100);
    const found = families.find((family) => family.name === name)?.series ?? [];
    return Object.fromEntries(
      found.map(({ labels, value }) => [labels["state"] ?? labels["reason"] ?? "", value]),
    );
  };
  return { metrics, node, fail, series, at: (ms: number) => (now = ms) };
}

describe("metrics of nodes", () => {
  it("a node that never failed has no series", async () => {
    expect(await harness().series("gw_upstream_node_state")).toEqual({});
  });

  it("the state metric of a node changes to half_open by time alone", async () => {
    const { fail, series, at } = harness();
    fail(2);
    expect(await series("gw_upstream_node_state")).toEqual({
      healthy: 0,
      failing: 1,
      ejected: 0,
      half_open: 0,
      slow_start: 0,
    });
    fail(1);
    expect(await series("gw_upstream_node_state")).toMatchObject({ failing: 0, ejected: 1 });
    expect(await series("gw_upstream_node_ejections_total")).toEqual({ timeouts: 1 });
    at(12_000);
    expect(await series("gw_upstream_node_state")).toMatchObject({ ejected: 0, half_open: 1 });
  });

  it("the state metric of a node returns to healthy after a response", async () => {
    const { node, fail, series, at } = harness();
    fail(1);
    expect(await series("gw_upstream_node_state")).toMatchObject({ healthy: 0, failing: 1 });
    at(2_000);
    node.health.answered({ startedAt: 1_500, endedAt: 2_000 }, PASSIVE_CHECKS);
    expect(await series("gw_upstream_node_state")).toMatchObject({ healthy: 1, failing: 0 });
  });

  it("the failure metric counts each failure once, even if the node's series were dropped meanwhile", async () => {
    const { metrics, node, fail, series } = harness();
    fail(2);
    expect(await series("gw_upstream_node_failures_total")).toEqual({ timeouts: 2 });
    metrics.keepOnly(new Set());
    expect(await series("gw_upstream_node_state")).toEqual({});
    fail(1);
    expect(await series("gw_upstream_node_failures_total")).toEqual({ timeouts: 3 });
    // A node remains the same node with other settings for its connections.
    metrics.keepOnly(new Set(["http://a:80 9/9/9"]));
    expect(await series("gw_upstream_node_state")).toMatchObject({ ejected: 1 });
    expect(node.health.uncollected.timeouts).toBe(0);
  });
});
