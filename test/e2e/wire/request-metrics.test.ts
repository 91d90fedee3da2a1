import { describe, expect, it } from "vitest";
import type { Labels } from "../../../runtime/abi/metrics.js";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import { type GatewaySettings, GET, listening, OK, proxyTo, startGateway } from "./gateway.js";
import { answer, collect, holding, own } from "./holding.js";

/** Settings of a gateway with metrics, and access to their values: the series that have the given labels. */
function counting(settings: GatewaySettings = {}) {
  const metrics = new MetricsRegistry();
  const series = (name: string, labels: Labels = {}) => {
    const all = metrics.snapshot().find((family) => family.name === name)?.series ?? [];
    return all.filter((one) => Object.entries(labels).every(([label, value]) => one.labels[label] === value));
  };
  const value = (name: string, labels?: Labels) =>
    series(name, labels).reduce((sum, one) => sum + one.value, 0);
  const observations = (labels: Labels) =>
    series("gw_http_latency", labels).reduce(
      (sum, { counts = [] }) => sum + counts.reduce((a, b) => a + b),
      0,
    );
  return {
    settings: { ...settings, options: { ...settings.options, metrics } },
    metrics,
    series,
    value,
    observations,
  };
}

describe("gw_http_status", () => {
  it("gw_http_status counts by status, route, consumer and node", async () => {
    const { settings, series } = counting({
      module: {
        rewrite(x) {
          x.consumerName = x.request.headers.get("x-user");
        },
      },
    });
    const gateway = await proxyTo(
      ({ target }) => ({ writes: [OK.replace("200 OK", `${target.slice(1)} X`)] }),
      settings,
    );
    const client = await gateway.client();
    for (const [status, user] of [
      [200, "ann"],
      [404, "bob"],
      [200, "ann"],
      [200, "bob"],
    ]) {
      await client.send(`GET /${status} HTTP/1.1\r\nHost: a\r\nX-User: ${user}\r\n\r\n`);
      await client.response("GET");
    }
    const counted = () =>
      series("gw_http_status").map(({ labels, value }) => [labels["code"], labels["consumer"], value]);
    await expect.poll(counted).toEqual([
      ["200", "ann", 2],
      ["404", "bob", 1],
      ["200", "bob", 1],
    ]);
    expect(series("gw_http_status")[0]?.labels).toEqual({
      code: "200",
      matched_uri: "/*",
      matched_host: "",
      route: "r",
      service: "",
      consumer: "ann",
      node: "127.0.0.1",
    });
  });

  it.each([
    ["no route", { noRoute: true }, GET, 404, ""],
    ["the gateway's own answer", { module: own(403, "no") }, GET, 403, "r"],
    ["a node that refuses", { nodes: [1] }, GET, 502, "r"],
    ["a head that is none", {}, "GET /\r\n\r\n", 400, ""],
    ["a path above the root", {}, "GET /../a HTTP/1.1\r\nHost: a\r\n\r\n", 400, ""],
  ])(
    "gw_http_status, gw_http_requests_total and gw_bandwidth count %s",
    async (_, more, request, status, route) => {
      const { settings, value } = counting(more as GatewaySettings);
      const gateway = await startGateway(settings);
      const client = await gateway.client();
      const received = collect(client.socket);
      await client.send(request);
      await expect.poll(received).toContain(`HTTP/1.1 ${status}`);
      await expect.poll(() => value("gw_http_status", { code: String(status), route })).toBe(1);
      expect(value("gw_http_status")).toBe(1);
      expect(value("gw_http_requests_total")).toBe(1);
      await expect.poll(() => value("gw_bandwidth", { type: "egress", route })).toBe(received().length);
    },
  );

  it("gw_http_status counts a client that disconnects as 499", async () => {
    const { settings, value } = counting();
    const gateway = await proxyTo(() => undefined, settings);
    const client = await gateway.client();
    await client.send(GET);
    await expect.poll(() => gateway.upstream.requests.length).toBe(1);
    client.socket.resetAndDestroy();
    await expect.poll(() => value("gw_http_status", { code: "499" })).toBe(1);
  });

  it("gw_http_status counts a delayed response once, with its final status", async () => {
    const { module, turn } = holding();
    const { settings, value } = counting({ module });
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(GET);
    const { refuse } = await turn();
    expect(value("gw_http_status")).toBe(0);
    refuse(new Error("disk full"));
    await client.response("GET");
    await expect.poll(() => value("gw_http_status", { code: "503" })).toBe(1);
    expect(value("gw_http_status")).toBe(1);
  });

  it("gw_http_status separates 200 consumers and counts the others together by route and status", async () => {
    const { settings, series, value } = counting({
      module: {
        ...own(200, ""),
        rewrite(x) {
          x.consumerName = x.uri;
        },
      },
    });
    const gateway = await startGateway(settings);
    const client = await gateway.client();
    const MANY = 500;
    const paths = Array.from({ length: MANY }, (_, n) => `GET /${n} HTTP/1.1\r\nHost: a\r\n\r\n`);
    await client.send(paths.join(""));
    for (let n = 0; n < MANY; n++) await client.response("GET");
    await client.send(paths[0] ?? "");
    await client.response("GET");
    await expect.poll(() => value("gw_http_status")).toBe(MANY + 1);
    expect(series("gw_http_status")).toHaveLength(201);
    expect(value("gw_http_status", { consumer: "/0" })).toBe(2);
    expect(value("gw_http_status", { consumer: "(overflow)", code: "200", route: "r" })).toBe(300);
    expect(value("gw_metrics_folded_total", { metric: "gw_http_status" })).toBe(300);
  });
});

describe("gw_http_latency", () => {
  it("gw_http_latency observes request, upstream and gateway, and the gateway's part is the difference", async () => {
    const { settings, series, observations } = counting();
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    await client.send(GET);
    await client.response("GET");
    for (const type of ["request", "upstream", "gw"])
      await expect.poll(() => observations({ type, route: "r", node: "127.0.0.1", upstream: "u" })).toBe(1);
    const sum = (type: string) => series("gw_http_latency", { type })[0]?.value ?? Number.NaN;
    expect(sum("gw")).toBeCloseTo(Math.max(0, sum("request") - sum("upstream")), 6);
  });

  it("gw_http_latency observes no upstream for a local reply", async () => {
    const { settings, observations } = counting({ module: own(200, "") });
    const gateway = await startGateway(settings);
    const client = await gateway.client();
    await client.send(GET);
    await client.response("GET");
    await expect.poll(() => observations({ type: "request" })).toBe(1);
    expect(observations({ type: "gw" })).toBe(1);
    expect(observations({ type: "upstream" })).toBe(0);
  });
});

describe("gw_bandwidth", () => {
  it("gw_bandwidth counts every byte of requests and responses", async () => {
    const { settings, value } = counting();
    const gateway = await proxyTo(answer(OK), settings);
    const client = await gateway.client();
    const received = collect(client.socket);
    const request = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello";
    await client.send(request);
    await client.response("POST");
    await expect.poll(() => value("gw_bandwidth", { type: "ingress" })).toBe(request.length);
    expect(value("gw_bandwidth", { type: "egress" })).toBe(received().length);
  });
});

describe("gauges", () => {
  it("gw_http_current_connections and gw_http_current_requests follow connections and requests", async () => {
    const { module, turn } = holding();
    const { settings, value } = counting({ module });
    const gateway = await proxyTo(answer(OK), settings);
    const [one, two] = [await gateway.client(), await gateway.client()];
    await one.send(GET);
    const { release } = await turn();
    await expect.poll(() => value("gw_http_current_connections", { state: "active" })).toBe(2);
    expect(value("gw_http_current_requests")).toBe(1);
    release();
    await one.response("GET");
    await expect.poll(() => value("gw_http_current_requests")).toBe(0);
    one.close();
    two.close();
    await expect.poll(() => value("gw_http_current_connections", { state: "active" })).toBe(0);
  });

  it("gw_upstream_connections counts a connection as busy during its exchange and as idle after it", async () => {
    let respond = () => {};
    const upstream = await listening((socket) => {
      respond = () => void socket.write(OK);
    });
    const { settings, value, metrics } = counting();
    const gateway = await startGateway({ nodes: [upstream.port], ...settings });
    const client = await gateway.client();
    const levels = async () => {
      await metrics.collect(1_000);
      const of = (state: string) => value("gw_upstream_connections", { state });
      return [of("busy"), of("idle"), value("gw_upstream_connections_opened_total")];
    };
    expect(await levels()).toEqual([0, 0, 0]);
    await client.send(GET);
    await expect.poll(levels).toEqual([1, 0, 1]);
    respond();
    await client.response("GET");
    await expect.poll(levels).toEqual([0, 1, 1]);
  });

  it("gw_http_connections_total counts accepted clients and those above the limit", async () => {
    const { settings, value } = counting({ options: { limits: { connections: 1 } } });
    const gateway = await proxyTo(answer(OK), settings);
    const first = await gateway.client();
    await first.send(GET);
    await first.response("GET");
    await gateway.client();
    await expect.poll(() => value("gw_http_connections_total", { outcome: "refused" })).toBe(1);
    expect(value("gw_http_connections_total", { outcome: "accepted" })).toBe(1);
  });
});

describe("gw_upstream_failures_total", () => {
  it("gw_upstream_failures_total counts every failed attempt by upstream and kind", async () => {
    const { settings, series } = counting();
    const dead = await startGateway({ nodes: [1, 2], ...settings });
    const client = await dead.client();
    await client.send(GET);
    await client.response("GET");
    expect(series("gw_upstream_failures_total")).toEqual([
      { labels: { upstream: "u", failure: "connect" }, value: 2 },
    ]);
  });
});
