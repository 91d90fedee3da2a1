import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { useUpstream } from "../../support/http-upstream.js";
import { LineServer } from "../../support/line-server.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "../process/gateway.js";

/** Responses to /slow, which wait until the test ends them. */
const held: ServerResponse[] = [];
let reached: () => void = () => {};

const upstream = useUpstream((request, response) => {
  if (!request.url?.startsWith("/slow")) return void response.end("ok");
  held.push(response);
  reached();
});

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

const syslog = (settings: object = {}) => ({
  syslog: { host: "127.0.0.1", port: sink.port, flush_limit: 1, batch_max_size: 1, ...settings },
});
const route = (uri: string, more: object = {}) => ({
  uri,
  upstream: { type: "roundrobin", nodes: upstream.nodes },
  ...more,
});
async function put(path: string, body: object): Promise<number> {
  const { status, text } = await gateway.admin("PUT", path, body);
  expect([200, 201], text).toContain(status);
  return status;
}
/** Sends each request on its own connection, so that both workers receive some. */
async function ask(uri: string, times = 1): Promise<Record<string, unknown>[]> {
  const from = sink.lines.length;
  for (let i = 0; i < times; i++) expect((await gateway.get(uri, { Host: "shop.test" })).status).toBe(200);
  return sink.records(times, from);
}
const defaultRecord = { request: { method: "GET" }, response: { status: 200 }, route_id: expect.any(String) };

describe("[log.endpoint.1] [log.endpoint.3] [log.endpoint.4] [log.endpoint.5] [log.endpoint.6] [log.endpoint.7] [log.endpoint.8] the requests of the specification's table", () => {
  it("plugins and metadata of the admin API take effect at once in every worker, and empty plugins undo them", async () => {
    expect(await put("/routes/1", route("/hello", { plugins: syslog() }))).toBe(201);
    for (const record of await ask("/hello", 8)) expect(record).toMatchObject(defaultRecord);

    const log_format = { host: "$host", at: { path: "$uri", status: "$status" } };
    expect(await put("/plugin_metadata/syslog", { log_format })).toBe(201);
    for (const record of await ask("/hello", 8))
      expect(record).toEqual({ host: "shop.test", at: { path: "/hello", status: 200 }, route_id: "1" });

    expect(await put("/plugin_metadata/broker-logger", { log_format, max_pending_entries: 5 })).toBe(201);

    const brokers = [
      { host: "127.0.0.1", port: 1 },
      { host: "127.0.0.1", port: 2 },
    ];
    const broker = { brokers, broker_topic: "logs", key: "k", batch_max_size: 1, name: "shop logs" };
    expect(await put("/routes/3", route("/broker", { plugins: { "broker-logger": broker } }))).toBe(201);
    expect((await gateway.get("/broker")).status).toBe(200);
    expect(await put("/routes/3", { methods: ["GET"], ...route("/broker"), plugins: {} })).toBe(200);

    const removed = { methods: ["GET"], ...route("/hello"), plugins: {} };
    expect(await put("/routes/1", removed)).toBe(200);
    const from = sink.lines.length;
    for (let i = 0; i < 8; i++) await gateway.get("/hello");
    await put("/routes/2", route("/other", { plugins: syslog() }));
    const [next] = await ask("/other");
    expect(next).toMatchObject({ route_id: "2" });
    expect(sink.lines.length).toBe(from + 1);
  });

  it("writes of metadata and routes require an admin key in X-API-KEY", async () => {
    for (const path of ["/plugin_metadata/syslog", "/plugin_metadata/broker-logger", "/routes/1"]) {
      const call = (headers: Record<string, string>) =>
        exchange(gateway.adminPort, "PUT", `/gw/admin${path}`, "{}", headers);
      expect((await call({})).json).toMatchObject({ description: "missing apikey" });
      expect((await call({ "X-API-KEY": "other" })).status).toBe(401);
    }
  });
});

describe("plugin metadata", () => {
  const format = (field: string) => ({ log_format: { [field]: "$host" } });

  it("a request in flight keeps the metadata of its start, and the next one has the new metadata", async () => {
    await put("/routes/1", route("/slow", { plugins: syslog() }));
    await put("/plugin_metadata/syslog", format("old"));
    const arrived = new Promise<void>((resolve) => (reached = resolve));
    const answer = gateway.get("/slow", { Host: "shop.test" });
    await arrived;
    await put("/plugin_metadata/syslog", format("new"));
    held.pop()?.end("late");
    await answer;
    expect((await sink.records(1))[0]).toMatchObject({ old: "shop.test" });
    const second = new Promise<void>((resolve) => (reached = resolve));
    const next = gateway.get("/slow", { Host: "shop.test" });
    await second;
    held.pop()?.end("late");
    await next;
    expect((await sink.records(2))[1]).toMatchObject({ new: "shop.test" });
  });

  it("metadata changes the records of all routes with the plugin except those with their own log_format", async () => {
    await put("/routes/1", route("/one", { plugins: syslog() }));
    await put("/routes/2", route("/two", { plugins: syslog({ log_format: { own: "$uri" } }) }));
    await put("/services/s", { upstream: { nodes: upstream.nodes }, plugins: syslog() });
    await put("/routes/3", { uri: "/three", service_id: "s" });
    await put("/plugin_metadata/syslog", format("shared"));
    expect((await ask("/one"))[0]).toEqual({ shared: "shop.test", route_id: "1" });
    expect((await ask("/two"))[0]).toEqual({ own: "/two", route_id: "2" });
    expect((await ask("/three"))[0]).toEqual({ shared: "shop.test", route_id: "3", service_id: "s" });
    const deleted = await gateway.admin("DELETE", "/plugin_metadata/syslog");
    expect(deleted.json).toEqual({ key: "/gw/plugin_metadata/syslog", deleted: "1" });
    for (const record of await ask("/one", 8)) expect(record).toMatchObject(defaultRecord);
    expect((await ask("/two"))[0]).toEqual({ own: "/two", route_id: "2" });
  });

  it("metadata of files cannot be written by the admin API, and stored metadata survives a restart", async () => {
    await gateway.stop();
    gateway.write({ plugin_metadata: [{ id: "syslog", ...format("file") }] });
    await gateway.open();
    await put("/routes/1", route("/one", { plugins: syslog() }));
    expect((await ask("/one"))[0]).toEqual({ file: "shop.test", route_id: "1" });
    const refused = await gateway.admin("PUT", "/plugin_metadata/syslog", format("admin"));
    expect([refused.status, refused.json["error_msg"]]).toEqual([
      400,
      expect.stringContaining("gateway.json") as string,
    ]);
    gateway.write({ plugin_metadata: [{ id: "syslog", ...format("reload") }] });
    gateway.process.kill("SIGHUP");
    await expect.poll(async () => (await ask("/one"))[0]).toEqual({ reload: "shop.test", route_id: "1" });
    await gateway.stop();
    gateway.write({});
    await gateway.open();
    await put("/plugin_metadata/syslog", format("stored"));
    await gateway.stop();
    await gateway.open();
    expect((await ask("/one"))[0]).toEqual({ stored: "shop.test", route_id: "1" });
  });
});

describe("[log.endpoint.10] a plugin configuration", () => {
  it("a plugin config logs on every route and service that names it, and a change applies to all at once", async () => {
    const named = (field: string) => ({ plugins: syslog({ log_format: { [field]: "$uri" } }) });
    await put("/plugin_configs/logs", named("one"));
    await put("/routes/1", route("/a", { plugin_config_id: "logs" }));
    await put("/services/s", { upstream: { nodes: upstream.nodes }, plugin_config_id: "logs" });
    await put("/routes/2", { uri: "/b", service_id: "s" });
    await put("/routes/3", { uri: "/c", service_id: "s", ...named("own") });
    const records = async () => [await ask("/a"), await ask("/b"), await ask("/c")].map(([record]) => record);
    expect(await records()).toEqual([
      { one: "/a", route_id: "1" },
      { one: "/b", route_id: "2", service_id: "s" },
      { own: "/c", route_id: "3", service_id: "s" },
    ]);
    await put("/plugin_configs/logs", named("two"));
    for (const record of await ask("/a", 8)) expect(record).toEqual({ two: "/a", route_id: "1" });
    expect(await records()).toMatchObject([{ two: "/a" }, { two: "/b" }, { own: "/c" }]);
    const { status } = await gateway.admin("DELETE", "/plugin_configs/logs");
    expect(status).toBe(400);
  });

  it("a service's own plugins override those of its plugin config", async () => {
    await put("/plugin_configs/logs", { plugins: syslog({ log_format: { shared: "$uri" } }) });
    const own = { plugins: syslog({ log_format: { service: "$uri" } }), plugin_config_id: "logs" };
    await put("/services/s", { upstream: { nodes: upstream.nodes }, ...own });
    await put("/routes/1", { uri: "/a", service_id: "s" });
    expect((await ask("/a"))[0]).toMatchObject({ service: "/a" });
  });
});

describe("a global rule", () => {
  it("a logger in a global rule logs every request, also without a route, until the rule is deleted", async () => {
    await put("/routes/1", route("/a"));
    await put("/global_rules/all", { plugins: syslog({ log_format: { status: "$status" } }) });
    expect((await ask("/a"))[0]).toEqual({ status: 200, route_id: "1" });
    await gateway.get("/nowhere");
    expect((await sink.records(2))[1]).toMatchObject({ status: 404 });
    expect((await gateway.admin("DELETE", "/global_rules/all")).status).toBe(200);
    await gateway.get("/a");
    await put("/routes/2", route("/b", { plugins: syslog() }));
    await ask("/b");
    expect(sink.lines.length).toBe(3);
  });
});
