import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { AdminGateway, exchange, UPSTREAM } from "./admin.js";

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start();
  await admin.call("PUT", "/upstreams/u", UPSTREAM);
  await admin.call("PUT", "/routes/old", { uri: "/old", upstream_id: "u" });
});
afterAll(() => admin.stop());

const generation = async () =>
  (JSON.parse((await exchange(admin.port("status"), "GET", "/status/ready")).text) as { generation?: number })
    .generation;
/** Responses of the lists and the generation: everything that a write could change. */
async function state() {
  const lists = await Promise.all(
    ["routes", "services", "upstreams", "plugin_configs", "global_rules", "consumers"].map(
      async (kind) => (await admin.call("GET", `/${kind}`)).text,
    ),
  );
  return [...lists, await generation()];
}

const HIDDEN = { uri: "/old", priority: 1, upstream_id: "u" };
const SHADOWED = [
  { code: "GW3040", severity: "warning", message: expect.stringContaining('"old"') as string },
];

describe("warnings of a write", () => {
  it("responses to writes contain warnings as diagnostics, with an unchanged status", async () => {
    const created = await admin.call("PUT", "/routes/hides", HIDDEN);
    expect([created.status, created.json["warnings"]]).toMatchObject([201, SHADOWED]);
    const replaced = await admin.call("PUT", "/routes/hides", HIDDEN);
    expect([replaced.status, replaced.json["warnings"]]).toMatchObject([200, SHADOWED]);
    const patched = await admin.call("PATCH", "/routes/hides", { desc: "d" });
    expect([patched.status, patched.json["warnings"]]).toMatchObject([200, SHADOWED]);
    expect((await admin.call("GET", "/routes/hides")).json).not.toHaveProperty("warnings");
    expect((await admin.call("DELETE", "/routes/hides")).json).not.toHaveProperty("warnings");
  });

  it("a warning of a write has its position in the body", async () => {
    const body = '{\n  "uri": "/x",\n  "upstream": {\n    "nodes": {} }\n}';
    const { status, json } = await admin.call("PUT", "/routes/x", body);
    expect([status, json["warnings"]]).toMatchObject([
      201,
      [
        {
          code: "GW3020",
          span: { file: "PUT /gw/admin/routes/x", start: { line: 4, column: 14 } },
          notes: [],
        },
      ],
    ]);
    await admin.call("DELETE", "/routes/x");
  });

  it("a forced delete warns about resources that refer to the deleted one", async () => {
    await admin.call("PUT", "/plugin_configs/c", { plugins: {} });
    await admin.call("PUT", "/routes/r", { uri: "/r", plugin_config_id: "c", upstream_id: "u" });
    const { status, json } = await admin.call("DELETE", "/plugin_configs/c?force=true");
    expect([status, json]).toMatchObject([
      200,
      {
        key: "/gw/plugin_configs/c",
        deleted: "1",
        warnings: [{ code: "GW3014", span: { file: "admin routes/r" } }],
      },
    ]);
    await admin.call("DELETE", "/routes/r");
  });
});

describe("?dry_run=true", () => {
  it.each([
    ["PUT", "/routes/new", { uri: "/new", upstream_id: "u" }, 201],
    ["PUT", "/routes/old", { uri: "/changed", upstream_id: "u" }, 200],
    ["POST", "/routes", { uri: "/new", upstream_id: "u" }, 201],
    ["PATCH", "/routes/old", { uri: "/changed" }, 200],
    ["PATCH", "/routes/old/uri", "/changed", 200],
    ["DELETE", "/routes/old", undefined, 200],
    ["DELETE", "/upstreams/u?force=true", undefined, 200],
    ["PUT", "/global_rules/g", { plugins: { "key-auth": {} } }, 200],
    ["PUT", "/consumers", { username: "jack", plugins: { "key-auth": { key: "k" } } }, 201],
  ] as const)(
    "a dry run of %s %s responds as the write would and changes nothing",
    async (method, path, body, status) => {
      const before = await state();
      const at = `${path}${path.includes("?") ? "&" : "?"}dry_run=true`;
      const tried = await admin.call(method, at, body === undefined ? body : JSON.stringify(body));
      expect(await state()).toEqual(before);
      expect(tried.json["error_msg"]).toBeUndefined();
      expect(tried.status).toBe(method === "PUT" && path.startsWith("/global_rules") ? 201 : status);
      expect(tried.json[method === "DELETE" ? "deleted" : "value"]).toBeDefined();
    },
  );

  it.each([
    ["PUT", "/routes/new", { uri: "/new", upstream_id: "9" }],
    [
      "PUT",
      "/routes/new",
      { uri: "/new", upstream: UPSTREAM, plugins: { "proxy-rewrite": { uri: "/$nope" } } },
    ],
    ["PATCH", "/routes/old", { uri: 5 }],
    ["DELETE", "/upstreams/u", undefined],
    ["PATCH", "/routes/absent", {}],
  ] as const)(
    "a dry run of %s %s %j is rejected with the response of the write",
    async (method, path, body) => {
      const tried = await admin.call(method, `${path}?dry_run=true`, body);
      const done = await admin.call(method, path, body);
      expect(tried.status).toBeGreaterThanOrEqual(400);
      expect([tried.status, tried.text]).toEqual([done.status, done.text]);
    },
  );

  it("a dry run returns warnings, and the next write is applied to the unchanged state", async () => {
    const tried = await admin.call("PUT", "/routes/hides?dry_run=true", HIDDEN);
    expect([tried.status, tried.json["warnings"]]).toMatchObject([201, SHADOWED]);
    expect((await admin.call("PUT", "/routes/next", { uri: "/next", upstream_id: "u" })).status).toBe(201);
    expect((await admin.call("GET", "/routes/hides")).status).toBe(404);
    await admin.call("DELETE", "/routes/next");
  });

  it("an adopt can be a dry run, which changes nothing", async () => {
    admin.write('routes: [{ id: old, uri: /from-file, upstream: { nodes: { "127.0.0.1:9": 1 } } }]\n');
    const before = await state();
    const tried = await admin.call("POST", "/adopt/routes/old?dry_run=true");
    expect([tried.status, tried.json]).toEqual([200, { key: "/gw/routes/old" }]);
    admin.write("routes: [{ id: old, uri: /from-file, upstream: { nodes: {} } }]\n");
    const warned = await admin.call("POST", "/adopt/routes/old?dry_run=true");
    expect([warned.status, warned.json["warnings"]]).toMatchObject([200, [{ code: "GW3020" }]]);
    admin.write("");
    const none = await admin.call("POST", "/adopt/routes/old?dry_run=true");
    expect([none.status, none.json["error_msg"]]).toEqual([400, "no configuration file defines routes/old"]);
    expect(await state()).toEqual(before);
  });

  it.each(["1", "yes", ""])(
    "dry_run=%j is rejected, so that no write is mistaken for a dry run",
    async (value) => {
      const { status, json } = await admin.call("DELETE", `/routes/old?dry_run=${value}`);
      expect([status, json["error_msg"]]).toEqual([
        400,
        "invalid argument dry_run: should be true, false, effect or module",
      ]);
      expect(
        (await admin.call("PUT", "/routes/old?dry_run=false", { uri: "/old", upstream_id: "u" })).status,
      ).toBe(200);
    },
  );
});

describe("POST /schema/validate", () => {
  it.each([
    ["routes", { uri: "/v", upstream_id: "u" }],
    ["routes", { id: "old", uri: "/v", upstream_id: "u" }],
    ["services", { upstream: UPSTREAM }],
    ["plugin_configs", { plugins: {} }],
    ["consumers", { username: "jack" }],
    ["plugin_metadata", { id: "syslog", log_format: { host: "$host" } }],
  ])("a valid %s %j passes with an empty response and changes nothing", async (kind, body) => {
    const before = await state();
    const { status, text } = await admin.call("POST", `/schema/validate/${kind}`, body);
    expect([status, text]).toEqual([200, ""]);
    expect(await state()).toEqual(before);
  });

  it.each([
    ["routes", { upstream_id: "u" }, "allOf 1 failed: value should match only one schema, but matches none"],
    [
      "routes",
      { uri: "/v", plugins: { "proxy-rewrite": { uri: "/$nope" } } },
      'failed to check the configuration of plugin proxy-rewrite err: unknown variable "$nope"',
    ],
    [
      "routes",
      { uri: "/v", upstream_id: "9" },
      "failed to fetch upstream info by upstream id [9], response code: 404",
    ],
    [
      "routes",
      { uri: "/v", upstream_id: "u", vars: [["arg_a"]] },
      "failed to validate the 'vars' expression: invalid expression",
    ],
    ["upstreams", {}, 'property "nodes" is required'],
    [
      "consumers",
      { username: "a", plugins: { "key-auth": {} } },
      'failed to check the configuration of plugin key-auth err: property "key" is required',
    ],
  ])("%s %j is rejected by the compiler", async (kind, body, message) => {
    const { status, json } = await admin.call("POST", `/schema/validate/${kind}`, body);
    expect([status, json["error_msg"]]).toEqual([400, message]);
  });

  it("a schema validation returns warnings", async () => {
    const { status, json } = await admin.call("POST", "/schema/validate/routes", { ...HIDDEN, id: "hides" });
    expect([status, json["warnings"]]).toMatchObject([200, SHADOWED]);
  });
});

describe("POST /configs/validate (reference 1.9)", () => {
  const validate = (body: string, type = "application/json") =>
    admin.call("POST", "/configs/validate", body, { headers: { "Content-Type": type } });

  it("a document whose references are missing passes with {}", async () => {
    const document = {
      routes: [{ id: "r1", uri: "/a", upstream_id: "elsewhere" }],
      consumers: [{ username: "jack" }],
    };
    const { status, text } = await validate(JSON.stringify(document));
    expect([status, text]).toEqual([200, "{}\n"]);
  });

  it("a validation reports all errors with type, id and index of the resource", async () => {
    const { status, json } = await validate(
      JSON.stringify({
        routes: [
          { id: "r1", uri: "/a", upstream: UPSTREAM },
          { id: "r1", uri: "/b", upstream: UPSTREAM },
          { id: "r2", uri: 5, upstream: UPSTREAM },
          { id: "r3", uri: "/c", upstream: UPSTREAM, plugins: { "proxy-rewrite": { uri: "/$nope" } } },
          { id: "r4", uri: "/d", upstream: UPSTREAM, vars: [["arg_a"]] },
        ],
        consumers: [{ username: "a b" }],
        global_rules: [{ id: 1, plugins: { teapot: {} } }],
      }),
    );
    expect([status, json["error_msg"]]).toEqual([400, "Configuration validation failed"]);
    expect(json["errors"]).toEqual([
      { resource_type: "routes", resource_id: "r1", index: 1, error: "found duplicate id r1 in routes" },
      {
        resource_type: "routes",
        resource_id: "r2",
        index: 2,
        error:
          'invalid configuration: property "uri" validation failed: wrong type: expected string, got number',
      },
      {
        resource_type: "routes",
        resource_id: "r3",
        index: 3,
        error: 'failed to check the configuration of plugin proxy-rewrite err: unknown variable "$nope"',
      },
      {
        resource_type: "routes",
        resource_id: "r4",
        index: 4,
        error: "failed to validate the 'vars' expression: invalid expression",
      },
      { resource_type: "global_rules", resource_id: "1", index: 0, error: "unknown plugin [teapot]" },
      {
        resource_type: "consumers",
        resource_id: "a b",
        index: 0,
        error: expect.stringMatching(
          /^invalid configuration: property "username" validation failed: /,
        ) as string,
      },
    ]);
  });

  it("a validation reads YAML if the content type is application/yaml", async () => {
    const good = await validate("routes:\n  - { id: r, uri: /a, upstream_id: u }\n", "application/yaml");
    expect([good.status, good.json]).toEqual([200, {}]);
    const bad = await validate("routes:\n  - { id: r, upstream_id: u }\n", "application/yaml; charset=utf-8");
    expect([bad.status, bad.json["errors"]]).toMatchObject([400, [{ resource_id: "r", index: 0 }]]);
  });

  it.each([
    ["", "application/json", /^invalid request body: empty request body$/],
    ["{", "application/json", /^invalid request body: /],
    ["a: [", "application/yaml", /^invalid request body: /],
  ])("the unreadable body %j is rejected", async (body, type, message) => {
    const { status, json } = await validate(body, type);
    expect([status, json["error_msg"]]).toEqual([400, expect.stringMatching(message)]);
  });

  it("a validation changes nothing", async () => {
    const before = await state();
    await validate(JSON.stringify({ routes: [{ id: "old", uri: "/changed", upstream: UPSTREAM }] }));
    expect(await state()).toEqual(before);
  });
});
