import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { answers, LogStore } from "../../support/log-store.js";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "../process/gateway.js";

const TOKEN = "Bearer t0ken-of-the-logs";

let upstream: Server;
beforeAll(async () => {
  upstream = createServer((_, response) => response.end("hello"));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
});
afterAll(() => upstream.close());

describe("a gateway that logs over HTTP", () => {
  let store: LogStore;
  let gateway: ProcessGateway;
  beforeEach(async () => {
    store = await LogStore.start();
    gateway = await ProcessGateway.start({});
  });
  afterEach(async () => {
    await gateway.end();
    await store.kill();
  });

  const route = (settings: object = {}) => ({
    uri: "/hello",
    plugins: {
      "http-logger": {
        uri: `http://127.0.0.1:${store.port}/ingest?key=in-the-query`,
        auth_header: TOKEN,
        batch_max_size: 1,
        ...settings,
      },
    },
    upstream: { nodes: { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 } },
  });
  const put = async (settings?: object) => {
    const { status, text } = await gateway.admin("PUT", "/routes/1", route(settings));
    expect([200, 201], text).toContain(status);
    return text;
  };
  const requests = (count: number) =>
    until(() => (store.requests.length >= count ? store.requests : undefined));

  it("the http-logger sends the token that the admin API stored, and no output shows it", async () => {
    const written = await put();
    await gateway.get("/hello?a=1", { Host: "shop.example.com" });
    const [first] = await requests(1);
    expect(first?.headers.authorization).toBe(TOKEN);
    expect(JSON.parse(first?.text ?? "")).toMatchObject({
      route_id: "1",
      request: { uri: "/hello?a=1" },
      response: { status: 200 },
    });
    const { text } = await gateway.admin("GET", "/routes/1");
    for (const shown of [written, text, gateway.errors]) expect(shown).not.toContain("t0ken");
  });

  it("a route that was read with masked secrets keeps them when it is written again", async () => {
    await put({ headers: { "X-Tenant": "t3nant-of-the-shop" } });
    const { text } = await gateway.admin("GET", "/routes/1");
    const { value } = JSON.parse(text) as { value: Record<string, unknown> };
    const { id: _, create_time: __, update_time: ___, ...read } = value;
    expect(text).not.toMatch(/t0ken|t3nant/);
    const { status, text: answer } = await gateway.admin("PUT", "/routes/1", { ...read, desc: "again" });
    expect(status, answer).toBe(200);
    await gateway.get("/hello");
    const [first] = await requests(1);
    expect(first?.headers).toMatchObject({ authorization: TOKEN, "x-tenant": "t3nant-of-the-shop" });
  });

  it("records refused for good are logged without token and query, and counted", async () => {
    store.usual = answers(400, `no field "a" for ${TOKEN}`);
    await put();
    await gateway.get("/hello");
    await until(() => gateway.errors.includes("log_entries_refused"));
    expect(gateway.errors).toContain(
      `http://127.0.0.1:${store.port}/ingest: 1 record rejected: responded with 400`,
    );
    expect(gateway.errors).not.toMatch(/t0ken|in-the-query/);
    const metrics = await (
      await fetch(`http://127.0.0.1:${gateway.metricsPort}/gw/prometheus/metrics`)
    ).text();
    expect(metrics).toMatch(
      /gw_log_entries_dropped_total\{name="http logger",route_id="1",reason="refused"\} 1/,
    );
  });

  it("a changed token delivers the records that the old one could not", async () => {
    store.usual = ({ headers }, response) =>
      void response.writeHead(headers.authorization === "Bearer new" ? 204 : 401).end();
    await put({ delivery: "durable", auth_header: "Bearer old" });
    for (let n = 0; n < 5; n++) await gateway.get(`/hello?n=${n}`);
    await requests(1);
    const { text } = await gateway.admin("GET", "/logs");
    expect(text).toContain(`http://127.0.0.1:${store.port}/ingest`);
    expect(text).not.toContain("in-the-query");
    await put({ delivery: "durable", auth_header: "Bearer new" });
    const arrived = () =>
      new Set(
        store.requests
          .filter(({ headers }) => headers.authorization === "Bearer new")
          .map(({ text }) => (JSON.parse(text) as { request: { uri: string } }).request.uri),
      );
    await until(() => arrived().size === 5);
    expect([...arrived()].sort()).toEqual([0, 1, 2, 3, 4].map((n) => `/hello?n=${n}`));
  });
});
