import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AdminGateway, exchange, UPSTREAM } from "./admin.js";

// Reference 1.8 (lists), 1.9 (schemas and plugins), 1.11 (status).

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start();
  await admin.call("PUT", "/upstreams/u1", UPSTREAM);
  await admin.call("PUT", "/services/7", { upstream_id: "u1" });
  for (let n = 1; n <= 25; n += 1) {
    const reference =
      n === 3 ? { upstream_id: "u1" } : n === 4 ? { service_id: "7" } : { upstream: UPSTREAM };
    await admin.call("PUT", `/routes/r${n}`, {
      uri: `/list/${n}`,
      name: n % 5 === 0 ? `five-${n}` : `other-${n}`,
      ...(n === 2 ? { labels: { team: "shop" } } : {}),
      ...reference,
    });
  }
  await admin.call("PUT", "/routes/integer", { uri: "/integer", service_id: 7 });
});
afterAll(() => admin.stop());

interface Listed {
  total: number;
  list: { key: string; value: { id: string }; createdIndex: number; modifiedIndex: number }[];
}
async function list(query: string): Promise<{ total: number; ids: string[] }> {
  const { json } = await admin.call("GET", `/routes${query}`);
  const { total, list } = json as unknown as Listed;
  return { total, ids: list.map(({ value }) => value.id) };
}

describe("lists (reference 1.8, 16.11)", () => {
  it("a list contains all resources with their indices, in order of creation", async () => {
    const { json } = await admin.call("GET", "/routes");
    const { total, list } = json as unknown as Listed;
    expect([total, list.length]).toEqual([26, 26]);
    expect(list[0]).toEqual({
      key: "/gw/routes/r1",
      value: expect.objectContaining({ uri: "/list/1" }),
      createdIndex: expect.any(Number),
      modifiedIndex: expect.any(Number),
    });
    const created = list.map(({ createdIndex }) => createdIndex);
    expect(created).toEqual([...created].sort((a, b) => a - b));
  });

  it("a kind without resources has an empty list", async () => {
    expect((await admin.call("GET", "/plugin_configs")).json).toEqual({ total: 0, list: [] });
  });

  it.each([
    ["?page=1&page_size=10", 26, ["r1", "r10"]],
    ["?page=3&page_size=10", 26, ["r21", "integer"]],
    ["?page=0&page_size=10", 26, ["r1", "r10"]],
    ["?page=4&page_size=10", 26, []],
    ["?page_size=10", 26, ["r1", "integer"]],
    ["?page=x&page_size=10", 26, ["r1", "integer"]],
    ["?name=five", 5, ["r5", "r25"]],
    ["?name=%5Efive-1", 2, ["r10", "r15"]],
    ["?label=team", 1, ["r2", "r2"]],
    ["?label=other", 0, []],
    ["?uri=list/1", 11, ["r1", "r19"]],
    ["?uri=", 26, ["r1", "integer"]],
    ["?filter=upstream_id%3Du1", 1, ["r3", "r3"]],
    ["?filter=service_id%3D7", 1, ["r4", "r4"]],
    ["?filter=name%3Dfive-5", 26, ["r1", "integer"]],
    ["?name=five&uri=list/1&page=1&page_size=10", 2, ["r10", "r15"]],
  ])("the list query %s selects the expected resources", async (query, total, ends) => {
    const { total: found, ids } = await list(query);
    expect(found).toBe(total);
    expect(ids.length === 0 ? [] : [ids[0], ids[ids.length - 1]]).toEqual(ends);
  });

  it.each(["9", "501"])("a page size of %s is rejected in plain text", async (size) => {
    const { status, text } = await admin.call("GET", `/routes?page=1&page_size=${size}`);
    expect([status, text]).toEqual([400, "page_size must be between 10 and 500"]);
  });
});

describe("schemas and plugins (reference 1.9)", () => {
  it("the plugin list is ordered by priority", async () => {
    const { json } = await admin.call("GET", "/plugins/list");
    const names = json as unknown as string[];
    expect(names.indexOf("proxy-rewrite")).toBeGreaterThanOrEqual(0);
    expect(names.indexOf("proxy-rewrite")).toBeLessThan(names.indexOf("response-rewrite"));
  });

  it("/schema/plugins and /plugins return the same schema of a plugin", async () => {
    const one = await admin.call("GET", "/schema/plugins/response-rewrite");
    expect(one.json).toMatchObject({ type: "object", properties: { status_code: {} } });
    expect((await admin.call("GET", "/plugins/response-rewrite")).json).toEqual(one.json);
  });

  it("/plugins?all=true returns cost, priority and schema of plugins", async () => {
    const { json } = await admin.call("GET", "/plugins?all=true");
    const costs = Object.entries(json).map(([name, one]) => [name, (one as { cost: string }).cost]);
    expect(Object.fromEntries(costs)).toMatchObject({
      captcha: "waits",
      "key-auth": "inline",
      "proxy-rewrite": "inline",
      "response-rewrite": "inline",
      syslog: "records",
      "broker-logger": "records",
    });
    expect(json["proxy-rewrite"]).toMatchObject({ priority: expect.any(Number), schema: { type: "object" } });
  });

  it.each(["route", "service", "upstream", "consumer", "plugin_config", "global_rule", "ssl"])(
    "the schema of a %s is an object schema",
    async (kind) => {
      expect((await admin.call("GET", `/schema/${kind}`)).json).toMatchObject({ type: "object" });
    },
  );

  it.each([
    ["/schema/nonsense", 404, "not found schema: nonsense"],
    ["/schema/plugins/nonsense", 404, "plugin not found in subsystem http"],
    ["/plugins/nonsense", 404, "plugin not found in subsystem http"],
  ])("%s is not found", async (path, status, message) => {
    const answer = await admin.call("GET", path);
    expect([answer.status, answer.json["error_msg"]]).toEqual([status, message]);
  });

  it("a schema validation accepts a valid route and rejects an invalid one", async () => {
    const good = await admin.call("POST", "/schema/validate/routes", { uri: "/v", upstream: UPSTREAM });
    expect([good.status, good.text]).toEqual([200, ""]);
    const bad = await admin.call("POST", "/schema/validate/routes", { uri: 5, upstream: UPSTREAM });
    expect([bad.status, bad.json["error_msg"]]).toEqual([
      400,
      'property "uri" validation failed: wrong type: expected string, got number',
    ]);
  });

  it("PUT /plugins/reload responds with done, and other methods with 405", async () => {
    expect(await admin.call("PUT", "/plugins/reload")).toMatchObject({ status: 200, text: "done" });
    const wrong = await admin.call("GET", "/plugins/reload");
    expect([wrong.status, wrong.json["error_msg"]]).toEqual([
      405,
      "please use PUT method to reload the plugins, GET method is not allowed.",
    ]);
  });
});

describe("the status listener (reference 1.11)", () => {
  it("the status listener reports that the gateway is live and ready", async () => {
    const port = admin.port("status");
    expect((await exchange(port, "GET", "/status")).json).toEqual({ status: "ok" });
    const ready = await exchange(port, "GET", "/status/ready");
    expect([ready.status, ready.json["status"]]).toEqual([200, "ok"]);
    expect((await exchange(port, "GET", "/other")).status).toBe(404);
  });
});

describe("allow_admin (reference 1.1)", () => {
  it("a client outside of allow_admin receives 403", async () => {
    const closed = await AdminGateway.start("", { allow_admin: ["10.0.0.0/8"] });
    const { status, text } = await closed.call("GET", "/routes");
    await closed.stop();
    expect([status, text]).toEqual([403, expect.stringContaining("403 Forbidden")]);
  });
});
