import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AdminGateway, UPSTREAM } from "./admin.js";

// Reference 1.3 to 1.5, 1.7: the three kinds that attach loggers and share their settings.

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start();
});
afterAll(() => admin.stop());

const SYSLOG = { syslog: { host: "127.0.0.1", port: 514, flush_limit: 1 } };
const error = async (method: string, path: string, body?: unknown) => {
  const { status, json } = await admin.call(method, path, body);
  return [status, json["error_msg"] ?? json["message"]];
};

describe.each([
  ["plugin_configs", "p1", { plugins: SYSLOG }, { desc: "again", plugins: {} }, "plugin config"],
  ["global_rules", "g1", { plugins: SYSLOG }, { plugins: {} }, "global rule"],
  [
    "plugin_metadata",
    "syslog",
    { log_format: { host: "$host", nested: { status: "$status" } } },
    { max_pending_entries: 5 },
    "plugin_metadata",
  ],
] as const)("%s", (segment, id, body, other, label) => {
  const path = `/${segment}/${id}`;
  const key = `/gw/${segment}/${id}`;
  const times =
    segment === "plugin_metadata"
      ? {}
      : { create_time: expect.any(Number) as number, update_time: expect.any(Number) as number };
  const indexes = { createdIndex: expect.any(Number) as number, modifiedIndex: expect.any(Number) as number };

  it("PUT responds with 201 for a new resource and with 200 for a replacement, which drops old fields", async () => {
    const created = await admin.call("PUT", path, body);
    expect([created.status, created.json]).toEqual([201, { key, value: { ...body, id, ...times } }]);
    const replaced = await admin.call("PUT", path, other);
    expect([replaced.status, replaced.json]).toEqual([200, { key, value: { ...other, id, ...times } }]);
  });

  it("GET returns one resource with its indexes, and the list of all", async () => {
    const one = await admin.call("GET", path);
    expect([one.status, one.json]).toEqual([200, { key, value: { ...other, id, ...times }, ...indexes }]);
    const all = await admin.call("GET", `/${segment}`);
    expect([all.status, all.json]).toEqual([200, { total: 1, list: [one.json] }]);
  });

  it("POST is rejected with 405", async () => {
    expect(await error("POST", `/${segment}`, body)).toEqual([
      405,
      `not supported \`POST\` method for ${label}`,
    ]);
  });

  it(`PATCH ${segment === "plugin_metadata" ? "is not for it" : "merges"}`, async () => {
    if (segment === "plugin_metadata") {
      expect(await error("PATCH", path, body)).toEqual([405, `not supported \`PATCH\` method for ${label}`]);
      return;
    }
    const { status, json } = await admin.call("PATCH", path, body);
    expect([status, json]).toEqual([200, { key, value: { ...other, ...body, id, ...times } }]);
  });

  it("DELETE responds with 200 once, then with 404", async () => {
    const deleted = await admin.call("DELETE", path);
    expect([deleted.status, deleted.json]).toEqual([200, { key, deleted: "1" }]);
    expect(await error("DELETE", path)).toEqual([404, "Key not found"]);
    expect(await error("GET", path)).toEqual([404, "Key not found"]);
    expect((await admin.call("GET", `/${segment}`)).json).toEqual({ total: 0, list: [] });
  });

  it("PUT without an id or a body is rejected, and so is DELETE without an id", async () => {
    const missing = segment === "plugin_metadata" ? "missing plugin name" : `missing ${label} id`;
    expect(await error("PUT", `/${segment}`, body)).toEqual([400, missing]);
    expect(await error("PUT", path)).toEqual([400, "missing configurations"]);
    expect((await error("DELETE", `/${segment}`))[0]).toBe(400);
  });
});

describe("rejected writes", () => {
  it.each([
    ["/plugin_configs/x", {}, 'invalid configuration: property "plugins" is required'],
    ["/global_rules/x", {}, 'invalid configuration: property "plugins" is required'],
    ["/plugin_configs/x", { plugins: { "sys-log": {} } }, "unknown plugin [sys-log]"],
    [
      "/plugin_configs/x",
      { plugins: { syslog: { port: 514 } } },
      'failed to check the configuration of plugin syslog err: property "host" is required',
    ],
    ["/plugin_metadata/no-such-plugin", {}, "invalid plugin name"],
    [
      "/plugin_metadata/syslog",
      { log_format: "host" },
      'invalid configuration: property "log_format" validation failed: wrong type: expected object, got string',
    ],
    [
      "/plugin_metadata/broker-logger",
      { max_pending_entries: 0 },
      'invalid configuration: property "max_pending_entries" validation failed: expected 0 to be at least 1',
    ],
  ])("PUT %s %j is rejected and stores nothing", async (path, body, text) => {
    expect(await error("PUT", path, body)).toEqual([400, text]);
    expect((await error("GET", path))[0]).toBe(404);
  });

  it("PUT of a second global rule with the same plugin is rejected", async () => {
    expect((await admin.call("PUT", "/global_rules/1", { plugins: SYSLOG })).status).toBe(201);
    expect(await error("PUT", "/global_rules/2", { plugins: SYSLOG })).toEqual([
      400,
      "plugin 'syslog' already exists in global rule with id '1'",
    ]);
    await admin.call("DELETE", "/global_rules/1");
  });
});

describe("the schema of metadata", () => {
  it("GET with schema_type=metadata returns the schema of plugin metadata", async () => {
    const path = "/schema/plugins/syslog?schema_type=metadata";
    const { status, json } = await admin.call("GET", path);
    expect([status, Object.keys(json["properties"] as object)]).toEqual([
      200,
      expect.arrayContaining(["log_format", "max_pending_entries"]),
    ]);
  });
});

describe("a plugin config that routes and services refer to", () => {
  it("a plugin config must exist before it is referred to, and cannot be deleted while it is", async () => {
    const route = { uri: "/r", upstream: UPSTREAM, plugin_config_id: "shared" };
    const service = { upstream: UPSTREAM, plugin_config_id: "shared" };
    const missing = "failed to fetch plugin config info by plugin config id [shared], response code: 404";
    expect(await error("PUT", "/routes/r", route)).toEqual([400, missing]);
    expect(await error("PUT", "/services/s", service)).toEqual([400, missing]);
    await admin.call("PUT", "/plugin_configs/shared", { plugins: SYSLOG });
    expect((await admin.call("PUT", "/routes/r", route)).status).toBe(201);
    expect((await admin.call("PUT", "/services/s", service)).status).toBe(201);
    expect(await error("DELETE", "/plugin_configs/shared")).toEqual([
      400,
      "can not delete this plugin config, route [r] is still using it now",
    ]);
    await admin.call("DELETE", "/routes/r");
    expect(await error("DELETE", "/plugin_configs/shared")).toEqual([
      400,
      "can not delete this plugin config, service [s] is still using it now",
    ]);
    await admin.call("DELETE", "/services/s");
    expect((await admin.call("DELETE", "/plugin_configs/shared")).status).toBe(200);
  });
});
