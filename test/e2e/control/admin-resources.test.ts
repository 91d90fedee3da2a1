import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AdminGateway, UPSTREAM } from "./admin.js";

// Reference 1.3, 1.4 (codes and shapes), 1.6 (timestamps), 1.7 (PATCH, DELETE).

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start(
    "routes:\n  - id: fixed\n    uri: /fixed\n    upstream: { nodes: { '127.0.0.1:9': 1 } }\n",
  );
});
afterAll(() => admin.stop());

/** Kinds, each with the smallest valid body. */
const KINDS: [segment: string, body: (uri: string) => object][] = [
  ["routes", (uri) => ({ uri, upstream: UPSTREAM })],
  ["services", () => ({ upstream: UPSTREAM })],
  ["upstreams", () => UPSTREAM],
  ["plugin_configs", () => ({ plugins: {} })],
  ["global_rules", () => ({ plugins: {} })],
];
const REPLACEMENT: Record<string, object> = {
  global_rules: { plugins: { "response-rewrite": { headers: { set: { "X-A": "1" } } } } },
};
const POSTED = new Set(["routes", "services", "upstreams"]);

describe.each(KINDS)("%s (reference 1.4)", (segment, body) => {
  const path = `/${segment}/life`;
  const key = `/gw/${segment}/life`;

  it("a resource of this kind is created with 201, replaced with 200, read and deleted", async () => {
    const created = await admin.call("PUT", path, body("/life"));
    expect(created.status).toBe(201);
    expect(created.json).toEqual({
      key,
      value: {
        ...body("/life"),
        id: "life",
        create_time: expect.any(Number),
        update_time: expect.any(Number),
      },
    });
    const replacement = REPLACEMENT[segment] ?? { desc: "again" };
    const replaced = await admin.call("PUT", path, { ...body("/life2"), ...replacement });
    expect(replaced.status).toBe(200);
    expect(replaced.json).toMatchObject({ key, value: replacement });
    const read = await admin.call("GET", path);
    expect(read.status).toBe(200);
    expect(read.json).toEqual({
      ...replaced.json,
      createdIndex: expect.any(Number),
      modifiedIndex: expect.any(Number),
    });
    expect(Number(read.json["modifiedIndex"])).toBeGreaterThan(Number(read.json["createdIndex"]));
    const deleted = await admin.call("DELETE", path);
    expect([deleted.status, deleted.json]).toEqual([200, { key, deleted: "1" }]);
    for (const method of ["GET", "DELETE"]) {
      const absent = await admin.call(method, path);
      expect([absent.status, absent.json]).toEqual([404, { message: "Key not found" }]);
    }
  });

  if (POSTED.has(segment))
    it("a resource created by POST receives an id of 20 digits", async () => {
      const { status, json } = await admin.call("POST", `/${segment}`, body("/posted"));
      const id = (json["value"] as { id: string }).id;
      expect(status).toBe(201);
      expect(id).toMatch(/^\d{20}$/);
      expect(json["key"]).toBe(`/gw/${segment}/${id}`);
      expect((await admin.call("DELETE", `/${segment}/${id}`)).status).toBe(200);
    });

  if (segment !== "global_rules")
    it("PATCH changes a part of a resource of this kind", async () => {
      await admin.call("PUT", path, { ...body("/life"), labels: { a: "1", b: "2" } });
      const whole = await admin.call("PATCH", path, { desc: "patched", labels: { b: null } });
      expect([whole.status, whole.json["value"]]).toMatchObject([
        200,
        { desc: "patched", labels: { a: "1" } },
      ]);
      expect((whole.json["value"] as { labels: object }).labels).toEqual({ a: "1" });
      const part = await admin.call("PATCH", `${path}/labels/c`, '"3"');
      expect([part.status, (part.json["value"] as { labels: object }).labels]).toEqual([
        200,
        { a: "1", c: "3" },
      ]);
      await admin.call("DELETE", path);
      const absent = await admin.call("PATCH", path, { desc: "x" });
      expect([absent.status, absent.json]).toEqual([404, { message: "Key not found" }]);
    });
});

describe("PATCH (reference 1.7)", () => {
  it("PATCH changes a global rule", async () => {
    await admin.call("PUT", "/global_rules/g", { plugins: {} });
    const { status, json } = await admin.call("PATCH", "/global_rules/g", REPLACEMENT["global_rules"]);
    expect([status, json["value"]]).toMatchObject([200, REPLACEMENT["global_rules"]]);
    await admin.call("DELETE", "/global_rules/g");
  });

  beforeAll(() => admin.call("PUT", "/routes/p", { uri: "/p", upstream: UPSTREAM }));
  afterAll(() => admin.call("DELETE", "/routes/p"));

  it.each<[string, string, unknown, string]>([
    ["without a body", "/routes/p", undefined, "missing new configuration"],
    ["with an array", "/routes/p", "[]", "invalid configuration"],
    ["with a scalar", "/routes/p", "5", "invalid configuration"],
    ["below a text", "/routes/p/uri/x", "5", "invalid sub-path: /uri"],
    [
      "below a deeper number",
      "/routes/p/upstream/nodes/127.0.0.1:9/x",
      "5",
      "invalid sub-path: /upstream/nodes/127.0.0.1:9",
    ],
    ["that changes the id", "/routes/p", { id: "q" }, "wrong route id"],
  ])("a PATCH %s is rejected", async (_name, path, body, message) => {
    const { status, json } = await admin.call("PATCH", path, body);
    expect([status, json["error_msg"]]).toEqual([400, message]);
  });

  it("PATCH validates the whole resulting resource", async () => {
    const { status, json } = await admin.call("PATCH", "/routes/p", { uri: null });
    expect(status).toBe(400);
    expect(json["error_msg"]).toBe(
      "invalid configuration: allOf 1 failed: value should match only one schema, but matches none",
    );
    expect((await admin.call("GET", "/routes/p")).json).toMatchObject({ value: { uri: "/p" } });
  });

  it("PATCH of a sub-path replaces the whole attribute and creates missing parents", async () => {
    const nodes = await admin.call("PATCH", "/routes/p/upstream/nodes", { "127.0.0.1:10": 1 });
    expect(nodes.json["value"]).toMatchObject({ upstream: { nodes: { "127.0.0.1:10": 1 } } });
    const timeout = await admin.call("PATCH", "/routes/p/upstream/timeout", { connect: 1, send: 1, read: 1 });
    expect(timeout.status).toBe(200);
    const label = await admin.call("PATCH", "/routes/p/labels/team", '"shop"');
    expect(label.json["value"]).toMatchObject({ labels: { team: "shop" } });
  });

  it("PATCH may set the timestamps", async () => {
    const { status, json } = await admin.call("PATCH", "/routes/p", { create_time: 5, update_time: 6 });
    expect([status, json["value"]]).toMatchObject([200, { create_time: 5, update_time: 6 }]);
  });

  it("20 concurrent PATCH requests are all applied", async () => {
    const patches = Array.from({ length: 20 }, (_, n) =>
      admin.call("PATCH", `/routes/p/labels/l${n}`, `"${n}"`),
    );
    expect((await Promise.all(patches)).map(({ status }) => status)).toEqual(Array(20).fill(200));
    const { value } = (await admin.call("GET", "/routes/p")).json as { value: { labels: object } };
    expect(Object.keys(value.labels)).toEqual(
      expect.arrayContaining(Array.from({ length: 20 }, (_, n) => `l${n}`)),
    );
  });

  it("PATCH with If-Match changes only the version that the tag names", async () => {
    const read = await admin.call("GET", "/routes/p");
    const headers = { "If-Match": String(read.headers["etag"]) };
    expect((await admin.call("PATCH", "/routes/p", { desc: "one" }, { headers })).status).toBe(200);
    const late = await admin.call("PATCH", "/routes/p", { desc: "two" }, { headers });
    expect([late.status, late.json["error_msg"]]).toEqual([412, "value changed before overwritten"]);
  });
});

describe("timestamps (reference 1.6)", () => {
  it("PUT retains create_time and renews update_time", async () => {
    await admin.call("PUT", "/routes/t", { uri: "/t", upstream: UPSTREAM });
    await admin.call("PATCH", "/routes/t", { create_time: 5, update_time: 6 });
    const { json } = await admin.call("PUT", "/routes/t", { uri: "/t", upstream: UPSTREAM });
    const { create_time, update_time } = json["value"] as Record<string, number>;
    expect(create_time).toBe(5);
    expect(update_time).toBeGreaterThan(1_700_000_000);
    await admin.call("DELETE", "/routes/t");
  });
});

describe("references (reference 1.7)", () => {
  it("a resource in use is only deleted with force=true", async () => {
    await admin.call("PUT", "/upstreams/u", UPSTREAM);
    await admin.call("PUT", "/services/s", { upstream_id: "u" });
    await admin.call("PUT", "/plugin_configs/c", { plugins: {} });
    await admin.call("PUT", "/routes/r", { uri: "/r", service_id: "s", plugin_config_id: "c" });
    const refused = async (path: string) => (await admin.call("DELETE", path)).json["error_msg"];
    expect(await refused("/upstreams/u")).toBe(
      "can not delete this upstream, service [s] is still using it now",
    );
    expect(await refused("/services/s")).toBe(
      "can not delete this service directly, route [r] is still using it now",
    );
    expect(await refused("/plugin_configs/c")).toBe(
      "can not delete this plugin config, route [r] is still using it now",
    );
    expect((await admin.call("DELETE", "/upstreams/u?force=1")).status).toBe(400);
    expect((await admin.call("DELETE", "/upstreams/u?force=true")).status).toBe(200);
    expect((await admin.call("GET", "/upstreams/u")).status).toBe(404);
    for (const path of ["/routes/r", "/services/s", "/plugin_configs/c"]) {
      expect((await admin.call("DELETE", path)).status).toBe(200);
    }
  });

  it.each([
    [{ upstream_id: "9" }, "failed to fetch upstream info by upstream id [9], response code: 404"],
    [{ service_id: "9" }, "failed to fetch service info by service id [9], response code: 404"],
    [
      { upstream: UPSTREAM, plugin_config_id: "9" },
      "failed to fetch plugin config info by plugin config id [9], response code: 404",
    ],
  ])("a reference to a missing resource is rejected: %j", async (body, message) => {
    const { status, json } = await admin.call("PUT", "/routes/dangling", { uri: "/d", ...body });
    expect([status, json["error_msg"]]).toEqual([400, message]);
  });
});

describe("a rejected configuration", () => {
  it("a rejected write returns a diagnostic with its position in the body, and changes nothing", async () => {
    const body = '{\n  "uri": "/x",\n  "upstream": { "nodes": { "127.0.0.1:9": 1 } },\n  "prioritty": 1\n}';
    const { status, json } = await admin.call("PUT", "/routes/refused", body);
    expect(status).toBe(400);
    expect(json["error_msg"]).toBe("invalid configuration: additional properties forbidden, found prioritty");
    expect(json["diagnostics"]).toMatchObject([
      { severity: "error", span: { file: "PUT /gw/admin/routes/refused", start: { line: 4, column: 3 } } },
    ]);
    expect((await admin.call("GET", "/routes/refused")).status).toBe(404);
  });

  it("a write to a resource of a file is rejected with file and line", async () => {
    for (const [method, body] of [
      ["PUT", { uri: "/x", upstream: UPSTREAM }],
      ["PATCH", { uri: "/x" }],
      ["DELETE", undefined],
    ] as const) {
      const { status, json } = await admin.call(method, "/routes/fixed", body);
      expect(status).toBe(400);
      expect(json["error_msg"]).toMatch(/gateway\.yaml:2/);
    }
    expect((await admin.call("GET", "/routes/fixed")).json).toMatchObject({
      value: { id: "fixed", uri: "/fixed" },
      static: expect.stringMatching(/^gateway\.yaml:2:\d+$/),
    });
  });
});

describe("?ttl=", () => {
  it("a resource with a ttl is removed after it has expired", async () => {
    for (const [id, ttl] of [
      ["long", 600],
      ["short", 1],
    ]) {
      const put = await admin.call("PUT", `/routes/${id}?ttl=${ttl}`, { uri: `/${id}`, upstream: UPSTREAM });
      expect(put.status).toBe(201);
    }
    await expect.poll(async () => (await admin.call("GET", "/routes/short")).status).toBe(404);
    expect((await admin.call("GET", "/routes/long")).status).toBe(200);
  });
});

describe("other kinds (reference 1.3, 1.5)", () => {
  it("plugin metadata is stored under the plugin's name, without timestamps", async () => {
    const { status, json } = await admin.call("PUT", "/plugin_metadata/response-rewrite", {});
    expect([status, json]).toEqual([
      201,
      { key: "/gw/plugin_metadata/response-rewrite", value: { id: "response-rewrite" } },
    ]);
  });

  it("a consumer is stored under its name", async () => {
    const { status, json } = await admin.call("PUT", "/consumers", { username: "jack" });
    expect([status, json["key"]]).toEqual([201, "/gw/consumers/jack"]);
    expect((await admin.call("PUT", "/consumers/jack", { username: "jack" })).status).toBe(200);
    expect((await admin.call("DELETE", "/consumers/jack")).status).toBe(200);
  });
});

describe("adopt", () => {
  const moved = (uri: string) =>
    `routes:\n  - { id: moved, uri: ${uri}, upstream: { nodes: { "127.0.0.1:9": 1 } } }\n`;

  it("a file takes over a stored resource by adopt, and the stored copy is deleted", async () => {
    const own = await AdminGateway.start();
    await own.call("PUT", "/routes/moved", { uri: "/stored", upstream: UPSTREAM });
    const early = await own.call("POST", "/adopt/routes/moved");
    expect([early.status, early.json["error_msg"]]).toEqual([
      400,
      "no configuration file defines routes/moved",
    ]);
    own.write(moved("/from-file"));
    expect(await own.gateway.reload()).toBe(false);
    const adopted = await own.call("POST", "/adopt/routes/moved");
    expect([adopted.status, adopted.json]).toEqual([
      200,
      { key: "/gw/routes/moved", static: expect.stringMatching(/^gateway\.yaml:2:\d+$/) },
    ]);
    expect((await own.call("GET", "/routes")).json).toMatchObject({
      total: 1,
      list: [{ value: { uri: "/from-file" } }],
    });
    expect((await own.call("POST", "/adopt/routes/moved")).status).toBe(404);
    own.write(moved("/again"));
    expect(await own.gateway.reload()).toBe(true);
    await own.stop();
  });

  it("adopt changes nothing if the files have an error", async () => {
    const own = await AdminGateway.start();
    await own.call("PUT", "/routes/moved", { uri: "/stored", upstream: UPSTREAM });
    own.write(moved("no-slash"));
    const { status, json } = await own.call("POST", "/adopt/routes/moved");
    expect([status, json["diagnostics"]]).toMatchObject([400, [{ span: { file: "gateway.yaml" } }]]);
    expect((await own.call("GET", "/routes/moved")).json).toMatchObject({ value: { uri: "/stored" } });
    expect((await own.call("PUT", "/routes/other", { uri: "/other", upstream: UPSTREAM })).status).toBe(201);
    await own.stop();
  });
});
