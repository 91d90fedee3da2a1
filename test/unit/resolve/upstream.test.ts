import { describe, expect, it } from "vitest";
import { PASSIVE_CHECKS, RETRY_BUDGET } from "../../../runtime/abi/passive-checks.js";
import { read } from "../../architecture/sources.js";
import { reported, resolved, resourcesOf } from "./configuration.js";

const upstream = (fields: string) => {
  const resolution = resolved(
    resourcesOf(`
upstreams:
  - ${fields}
routes:
  - { id: r, uri: /, upstream_id: u }
`),
  );
  return { table: resolution.upstreams[0], findings: reported(resolution) };
};

describe("upstream tables", () => {
  it("an upstream has every default filled in", () => {
    expect(upstream('{ id: u, nodes: { "10.0.0.1:8080": 1, "10.0.0.2": 3 } }').table).toEqual({
      key: "u",
      type: "roundrobin",
      scheme: "http",
      nodes: [
        { host: "10.0.0.1", port: 8080, weight: 1, priority: 0 },
        { host: "10.0.0.2", port: 80, weight: 3, priority: 0 },
      ],
      retries: 1,
      retryTimeout: 0,
      timeout: { connect: 60, send: 60, read: 60 },
      passHost: "pass",
      keepalive: { size: 320, idleTimeout: 60, requests: 1000 },
      tlsVerify: true,
    });
  });

  it("a node of an https upstream has port 443 by default, and IPv6 hosts keep their brackets", () => {
    const { table } = upstream(
      '{ id: u, scheme: https, nodes: [{ host: "[::1]", weight: 1, priority: -1 }] }',
    );
    expect(table?.nodes).toEqual([{ host: "[::1]", port: 443, weight: 1, priority: -1 }]);
    expect(upstream('{ id: u, nodes: { "[::1]:81": 1 } }').table?.nodes[0]).toMatchObject({
      host: "[::1]",
      port: 81,
    });
  });

  it("a reference to the environment in a node stays as it is", () => {
    const { table, findings } = upstream('{ id: u, nodes: { "${{ORDERS:=a:b}}:81": 1 } }');
    expect(table?.nodes[0]).toMatchObject({ host: "${{ORDERS:=a:b}}", port: 81 });
    expect(findings).toEqual([]);
    expect(upstream('{ id: u, nodes: { "${{ORDERS:=a}}": 1 } }').table?.nodes[0]).toMatchObject({
      host: "${{ORDERS:=a}}",
      port: 80,
    });
  });

  it("passive health checks are in the table with all their values if one differs from the default", () => {
    const passive = (checks: string) =>
      upstream(`{ id: u, nodes: { a: 1 }, checks: ${checks} }`).table?.passive;
    expect(passive("{}")).toBeUndefined();
    expect(passive("{ passive: { ejection_time: 10, unhealthy: { timeouts: 3 } } }")).toBeUndefined();
    expect(passive("{ passive: { slow_start: 0, unhealthy: { http_statuses: [503, 500] } } }")).toEqual({
      ...PASSIVE_CHECKS,
      slowStart: 0,
      httpFailures: 5,
      httpStatuses: [500, 503],
    });
    expect(passive("{ passive: { healthy: { successes: 2 }, unhealthy: { http_failures: 1 } } }")).toEqual({
      ...PASSIVE_CHECKS,
      successes: 2,
      httpFailures: 1,
    });
  });

  it("a retry budget is in the table if it differs from the default", () => {
    const budget = (value: string) =>
      upstream(`{ id: u, nodes: { a: 1 }, retry_budget: ${value} }`).table?.retryBudget;
    expect(budget("{ percent: 20, min_per_second: 10 }")).toBeUndefined();
    expect(budget("{ percent: 5 }")).toEqual({ percent: 5, minPerSecond: 10 });
  });

  it("the defaults of passive health checks and retry budgets are those of the schema", () => {
    const schema = JSON.parse(read("schema/upstream.json"));
    const { properties } = schema.properties.checks.properties.passive;
    const { unhealthy, healthy } = properties;
    expect(PASSIVE_CHECKS).toMatchObject({
      tcpFailures: unhealthy.properties.tcp_failures.default,
      timeouts: unhealthy.properties.timeouts.default,
      successes: healthy.properties.successes.default,
      ejectionTime: properties.ejection_time.default,
      maxEjectionTime: properties.max_ejection_time.default,
      maxEjectedPercent: properties.max_ejected_percent.default,
      slowStart: properties.slow_start.default,
    });
    const budget = schema.properties.retry_budget.properties;
    expect(RETRY_BUDGET).toEqual({
      percent: budget.percent.default,
      minPerSecond: budget.min_per_second.default,
    });
  });

  it("an upstream has hashOn and hashKey only with the type chash", () => {
    expect(upstream("{ id: u, type: chash, key: remote_addr, nodes: { a: 1 } }").table).toMatchObject({
      hashOn: "vars",
      hashKey: "remote_addr",
    });
    expect(upstream("{ id: u, key: remote_addr, nodes: { a: 1 } }").table).not.toHaveProperty("hashKey");
  });

  it("GW3020 reports an upstream without nodes, GW3021 one whose nodes all have weight 0", () => {
    expect(upstream("{ id: u, nodes: [] }").findings).toEqual([
      'GW3020 3 upstream "u" has no nodes: every request to it is rejected with 503',
    ]);
    expect(upstream("{ id: u, nodes: { a: 0, b: 0 } }").findings).toEqual([
      'GW3021 3 all nodes of upstream "u" have weight 0: every request to it is rejected with 503',
    ]);
  });

  it("GW3022 reports a node that is listed twice, including its default port", () => {
    expect(upstream('{ id: u, nodes: { "a:80": 1, "A": 1 } }').findings).toEqual([
      'GW3022 3 node "a:80" is listed twice',
    ]);
  });
});
