import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { AdminGateway, exchange } from "./admin.js";

// Reference 17 "Missing references", 1.7.

let upstream: Server;
let nodes: Record<string, number>;
let admin: AdminGateway;
beforeAll(async () => {
  upstream = createServer((_request, response) => response.end("secret"));
  await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  nodes = { [`127.0.0.1:${(upstream.address() as AddressInfo).port}`]: 1 };
});
afterAll(() => upstream.close());

beforeEach(async () => {
  admin = await AdminGateway.start();
});
afterEach(() => admin.stop());

const statusOf = async (path: string, headers: Record<string, string> = {}) =>
  (await exchange(admin.port("data"), "GET", path, undefined, headers)).status;
const put = async (path: string, body: object) => {
  const { status, json } = await admin.call("PUT", path, body);
  expect([status, json["error_msg"]]).toEqual([expect.toBeOneOf([200, 201]), undefined]);
};
const force = async (path: string) =>
  expect((await admin.call("DELETE", `${path}?force=true`)).status).toBe(200);
const guard = { plugins: { "key-auth": {} } };

/**
 * Path and body of a resource, the body of a route that refers to it, the statuses of that route without
 * and with the key after the loss, and the resource in error messages. A route without upstream still runs
 * its plugins.
 */
const HOLDERS: [
  path: string,
  body: () => object,
  route: () => object,
  lost: [without: number, withKey: number],
  fetched: string,
][] = [
  [
    "/plugin_configs/c",
    () => guard,
    () => ({ plugin_config_id: "c", upstream: { nodes } }),
    [503, 503],
    "plugin config info by plugin config id [c]",
  ],
  [
    "/services/s",
    () => ({ ...guard, upstream: { nodes } }),
    () => ({ service_id: "s" }),
    [404, 404],
    "service info by service id [s]",
  ],
  [
    "/services/s",
    () => guard,
    () => ({ service_id: "s", upstream: { nodes } }),
    [404, 404],
    "service info by service id [s]",
  ],
  [
    "/upstreams/u",
    () => ({ nodes }),
    () => ({ ...guard, upstream_id: "u" }),
    [401, 503],
    "upstream info by upstream id [u]",
  ],
];

describe.each(HOLDERS)("a forced delete of %s", (path, body, route, lost, fetched) => {
  it("a route whose reference is gone stays closed, also after a restart, until the reference is back", async () => {
    await put("/consumers/jack", { username: "jack", plugins: { "key-auth": { key: "k" } } });
    await put(path, body());
    await put("/routes/r", { uri: "/r", ...route() });
    expect(await statusOf("/r")).toBe(401);
    await force(path);
    expect([await statusOf("/r"), await statusOf("/r", { apikey: "k" })]).toEqual(lost);
    await admin.gateway.close(0);
    await admin.open();
    expect([await statusOf("/r"), await statusOf("/r", { apikey: "k" })]).toEqual(lost);
    expect((await exchange(admin.port("status"), "GET", "/status/ready")).status).toBe(200);
    await put(path, body());
    expect([await statusOf("/r"), await statusOf("/r", { apikey: "k" })]).toEqual([401, 200]);
  });

  it("a missing reference rejects writes that contain it, and no other write", async () => {
    await put(path, body());
    await put("/routes/r", { uri: "/r", ...route() });
    await force(path);
    const message = `failed to fetch ${fetched}, response code: 404`;
    for (const [method, at, sent] of [
      ["PUT", "/routes/new", { uri: "/new", ...route() }],
      ["POST", "/routes", { uri: "/new", ...route() }],
      ["PUT", "/routes/r", { uri: "/changed", ...route() }],
      ["PATCH", "/routes/r", { uri: "/changed" }],
    ] as const) {
      const { status, json } = await admin.call(method, at, sent);
      expect([status, json["error_msg"]]).toEqual([400, message]);
    }
    expect((await admin.call("GET", "/routes/r")).json).toMatchObject({ value: { uri: "/r" } });
    await put("/routes/other", { uri: "/other", upstream: { nodes } });
    await put("/consumers/jill", { username: "jill", plugins: { "key-auth": { key: "j" } } });
    expect([await statusOf("/r"), await statusOf("/other")]).toEqual([lost[0], 200]);
    expect((await admin.call("DELETE", "/routes/r")).status).toBe(200);
  });
});

describe("a plugin config that a route's service refers to", () => {
  it("a route responds with 503 if the plugin config of its service is gone", async () => {
    await put("/plugin_configs/c", guard);
    await put("/services/s", { plugin_config_id: "c", upstream: { nodes } });
    await put("/routes/r", { uri: "/r", service_id: "s" });
    await force("/plugin_configs/c");
    expect(await statusOf("/r")).toBe(503);
    const { status, json } = await admin.call("PUT", "/services/s", {
      plugin_config_id: "c",
      upstream: { nodes },
    });
    expect([status, json["error_msg"]]).toEqual([
      400,
      "failed to fetch plugin config info by plugin config id [c], response code: 404",
    ]);
  });
});

describe("other ways to lose a reference of a route", () => {
  const configured = "plugin_configs:\n  - { id: c, plugins: { key-auth: {} } }\n";

  it("a file that lacks a used plugin config is rejected, and the route retains its plugins", async () => {
    admin.write(configured);
    expect(await admin.gateway.reload()).toBe(true);
    await put("/routes/r", { uri: "/r", plugin_config_id: "c", upstream: { nodes } });
    admin.write("");
    expect(await admin.gateway.reload()).toBe(false);
    expect(await statusOf("/r")).toBe(401);
    await admin.gateway.close(0);
    await admin.open();
    expect(await statusOf("/r")).toBe(401);
    const ready = await exchange(admin.port("status"), "GET", "/status/ready");
    expect([ready.status, ready.text]).toEqual([200, expect.stringContaining("plugin_config")]);
  });

  it("a plugin config does not expire while a route refers to it", async () => {
    await put("/plugin_configs/c", guard);
    await put("/routes/r", { uri: "/r", plugin_config_id: "c", upstream: { nodes } });
    await put("/plugin_configs/c?ttl=0.1", guard);
    await admin.call("PUT", "/plugin_configs/later?ttl=0.1", guard);
    await until(async () => (await admin.call("GET", "/plugin_configs/later")).status === 404);
    expect(await statusOf("/r")).toBe(401);
  });

  it("a file with a new reference to a deleted resource is rejected, one with the old reference accepted", async () => {
    const route = (id: string) =>
      `  - { id: ${id}, uri: /${id}, plugin_config_id: c, upstream: { nodes: ${JSON.stringify(nodes)} } }\n`;
    await put("/plugin_configs/c", guard);
    admin.write(`routes:\n${route("old")}`);
    expect(await admin.gateway.reload()).toBe(true);
    await force("/plugin_configs/c");
    expect(await statusOf("/old")).toBe(503);
    admin.write(`routes:\n${route("old")}${route("new")}`);
    expect(await admin.gateway.reload()).toBe(false);
    admin.write(
      `routes:\n${route("old")}  - { id: b, uri: /b, upstream: { nodes: ${JSON.stringify(nodes)} } }\n`,
    );
    expect(await admin.gateway.reload()).toBe(true);
    expect([await statusOf("/old"), await statusOf("/new"), await statusOf("/b")]).toEqual([503, 404, 200]);
  });

  it("an adopt of a used plugin config is rejected until a file defines it, and the route keeps its plugin", async () => {
    await put("/plugin_configs/c", guard);
    await put("/routes/r", { uri: "/r", plugin_config_id: "c", upstream: { nodes } });
    expect((await admin.call("POST", "/adopt/plugin_configs/c")).status).toBe(400);
    expect(await statusOf("/r")).toBe(401);
    admin.write(configured);
    expect((await admin.call("POST", "/adopt/plugin_configs/c")).status).toBe(200);
    expect(await statusOf("/r")).toBe(401);
  });

  it("an adopt of a plugin config into a file that disables its plugin serves the route without it", async () => {
    await put("/plugin_configs/c", guard);
    await put("/routes/r", { uri: "/r", plugin_config_id: "c", upstream: { nodes } });
    expect(await statusOf("/r")).toBe(401);
    admin.write(configured.replace("{}", "{ _meta: { disable: true } }"));
    expect((await admin.call("POST", "/adopt/plugin_configs/c")).status).toBe(200);
    expect(await statusOf("/r")).toBe(200);
  });

  it("PATCH that removes the plugins of a plugin config in use is rejected", async () => {
    await put("/plugin_configs/c", guard);
    expect((await admin.call("PATCH", "/plugin_configs/c", { plugins: null })).status).toBe(400);
    expect((await admin.call("PATCH", "/plugin_configs/c/plugins", "null")).status).toBe(400);
  });
});
