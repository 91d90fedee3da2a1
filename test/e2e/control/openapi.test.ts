// Compares the OpenAPI document with a running gateway: documented operations work, others are rejected.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { OPERATIONS } from "../../../runtime/control/admin/operations.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { OpenApi, type OpenApiDocument, type Operation } from "../../support/openapi.js";
import { CaptchaAdmin } from "../captcha/captcha-admin.js";
import { ADMIN_KEY, type AdminAnswer, type AdminGateway, exchange, UPSTREAM, VIEWER_KEY } from "./admin.js";

const FILES = `routes:
  - { id: filed, uri: /filed, upstream: { nodes: { "127.0.0.1:9": 1 } } }
captcha_customers:
  - { id: filed }
`;

/** A resource of each kind, by path. */
const BODIES: Readonly<Record<string, { id: string; body: Record<string, unknown> }>> = {
  routes: { id: "r", body: { uri: "/r", upstream: UPSTREAM, plugins: { "key-auth": {} } } },
  services: { id: "s", body: { upstream: UPSTREAM } },
  upstreams: { id: "u", body: UPSTREAM },
  plugin_configs: { id: "p", body: { plugins: { "proxy-rewrite": { uri: "/x" } } } },
  global_rules: { id: "g", body: { plugins: { "response-rewrite": { headers: { set: { "X-A": "1" } } } } } },
  plugin_metadata: { id: "syslog", body: { log_format: { host: "$host" } } },
  consumers: { id: "c", body: { username: "c", plugins: { "key-auth": { key: "the-key-of-c" } } } },
  ssls: { id: "t", body: { sni: "upstream.test", ...TEST_CERTIFICATE } },
  "captcha/customers": { id: "shop", body: {} },
  "captcha/site-keys": { id: "sk_of_the_walk", body: { customer: "filed", hostnames: ["example.com"] } },
  "captcha/api-keys": { id: "abcd1234", body: { customer: "filed" } },
};

/** Kinds without POST, which would make up an id. */
const NAMED_BY_CLIENTS = ["plugin_configs", "global_rules", "plugin_metadata", "consumers"];

/** Parameters, bodies and expected statuses of the other operations. */
const GIVEN: Readonly<Record<string, { path?: Record<string, string>; body?: unknown; status?: number }>> = {
  readSession: {},
  readOpenApi: {},
  exportConfiguration: {},
  readPluginSchema: { path: { name: "key-auth" } },
  readPlugin: { path: { name: "key-auth" } },
  readPluginReadme: { path: { name: "key-auth" } },
  validateResource: { path: { kind: "routes" }, body: { uri: "/v", upstream: UPSTREAM } },
  validateResourceOfCaptcha: { path: { kind: "customers" }, body: {} },
  readSchema: { path: { kind: "routes" } },
  readSchemaOfCaptcha: { path: { kind: "site-keys" } },
  reloadPlugins: {},
  listPlugins: {},
  readPlugins: {},
  validateConfiguration: { body: { routes: [] } },
  // 404, since the file defines no resource of the store.
  adoptResource: { path: { kind: "routes", id: "nobody" }, status: 404 },
  adoptResourceOfCaptcha: { path: { kind: "customers", id: "nobody" }, status: 404 },
  tryRegex: { body: { pattern: "a(b)", subject: "ab" } },
  askWhichRoute: { body: { url: "/filed" } },
  askWhichRouteLive: { body: { url: "/nowhere" } },
  armTrace: { body: { match: { uri: "/nowhere" } }, status: 201 },
  listTraces: {},
  readTrace: { path: { id: "none" }, status: 404 },
  disarmTrace: { path: { id: "none" }, status: 404 },
  listChanges: {},
  readChange: { path: { number: "9999" }, status: 404 },
  revertChange: { path: { number: "9999" }, status: 404 },
  readOverview: {},
  listCertificates: {},
  readCertificate: { path: { id: "none" }, status: 404 },
  readLogs: {},
  readNodes: {},
  purgeLogs: { path: { destination: "none" }, status: 404 },
  readModule: { path: { kind: "routes", id: "filed" } },
  readModuleOfCaptcha: { path: { kind: "customers", id: "filed" }, status: 404 },
  readCaptchaStatistics: {},
  readCaptchaDecision: { path: { request_id: "none" }, status: 404 },
  tryCaptchaAccess: { body: { site_key: "sk_nobody_has", api_key: "none" } },
  rotateCaptchaSigningKey: { status: 201 },
  readHealth: {},
  readHealthOf: { path: { source: "routes", id: "filed" } },
};

/** Operations that change nothing, whatever their method. */
const ASKS = OPERATIONS.filter(({ onlyAsks }) => onlyAsks).map(({ name }) => name);

let captcha: CaptchaAdmin;
let admin: AdminGateway;
let api: OpenApi;
beforeAll(async () => {
  captcha = await CaptchaAdmin.start(FILES);
  ({ admin } = captcha);
  const { status, text } = await admin.call("GET", "/openapi.json");
  expect(status).toBe(200);
  api = new OpenApi(JSON.parse(text) as OpenApiDocument);
});
afterAll(() => captcha.stop());

const pathOf = (template: string, names: Readonly<Record<string, string>>) =>
  template.replaceAll(/\{(\w+)\}/g, (_all, name: string) => encodeURIComponent(names[name] ?? "x"));

/** Calls an operation and compares the response with its documentation. */
async function called(
  name: string,
  names: Readonly<Record<string, string>> = {},
  body?: unknown,
  { query = "", key = ADMIN_KEY, headers = {} }: Call = {},
): Promise<AdminAnswer> {
  const operation = api.operation(name);
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  const answer = await exchange(
    ...([admin.port("admin"), operation.method, `${pathOf(operation.path, names)}${query}`, text] as const),
    { ...(key !== "" && { "X-API-KEY": key }), ...headers },
  );
  expect(api.undocumented(operation, answer)).toEqual([]);
  return answer;
}
interface Call {
  query?: string;
  key?: string;
  headers?: Record<string, string>;
}

/** Operations on the resources of a kind, by method and the rest of the path. */
function operationsOf(path: string): Record<string, string> {
  const base = `/gw/admin/${path}`;
  const at = (operation: Operation) => operation.path.slice(base.length).replaceAll(/\{\w+\}/g, "{}");
  return Object.fromEntries(
    api.operations
      .filter((one) => one.path === base || one.path.startsWith(`${base}/{`))
      .map((one) => [`${one.method} ${at(one)}`, one.operationId]),
  );
}

describe.each(Object.keys(BODIES))("resources at %s", (path) => {
  const { id, body } = BODIES[path] ?? { id: "", body: {} };
  const named = { id, username: id, plugin: id };

  it("a resource of this kind is written, read, listed, changed and deleted as documented", async () => {
    const on = operationsOf(path);
    const { requestBody } = api.operation(on["PUT /{}"] ?? "");
    expect(api.faults(requestBody?.content["application/json"]?.schema ?? {}, body)).toEqual([]);
    const put = (query = "") => called(on["PUT /{}"] ?? "", named, body, { query });
    expect((await put("?dry_run=true")).status).toBe(201);
    expect((await put("?dry_run=effect")).json["effect"]).toMatchObject({ fault: null });
    expect((await put("?dry_run=module")).json["modules"]).toBeDefined();
    expect((await put("?ttl=600")).status).toBe(201);
    expect((await put()).status).toBeOneOf([200, 201]);
    const read = await called(on["GET /{}"] ?? "", named);
    expect([read.status, read.headers["etag"]]).toEqual([200, expect.stringMatching(/^"\d+"$/)]);
    expect((await called(on["GET "] ?? "")).json).toMatchObject({ total: expect.any(Number) });
    expect((await called(on["GET "] ?? "", {}, undefined, { query: "?page=1&page_size=5" })).status).toBe(
      400,
    );
    const patch = on["PATCH /{}"];
    if (patch !== undefined) {
      const [field = "desc", value = "new"] = Object.entries(body)[0] ?? [];
      const text = JSON.stringify(value);
      expect((await called(patch, named, `{"${field}":${text}}`)).status).toBe(200);
      expect((await called(on["PATCH /{}/{}"] ?? "", { ...named, field }, text)).status).toBe(200);
    }
    const headers = { "If-Match": '"0"' };
    expect((await called(on["DELETE /{}"] ?? "", named, undefined, { headers })).status).toBe(412);
    expect((await called(on["DELETE /{}"] ?? "", named)).status).toBe(200);
    for (const gone of ["GET /{}", "DELETE /{}"])
      expect((await called(on[gone] ?? "", named)).status).toBe(404);
  });

  it("a resource of this kind receives an id from POST or brings its own in a PUT body, as documented", async () => {
    const on = operationsOf(path);
    const post = on["POST "];
    const byBody = on["PUT "];
    expect([path, post !== undefined]).toEqual([path, !NAMED_BY_CLIENTS.includes(path)]);
    // The id of metadata is the name of its plugin.
    expect([path, byBody !== undefined]).toEqual([path, path !== "plugin_metadata"]);
    if (post !== undefined) {
      const { status, json } = await called(post, {}, body);
      expect(status).toBe(201);
      const made = String(json["key"]).split("/").at(-1) ?? "";
      expect((await called(on["DELETE /{}"] ?? "", { id: made })).status).toBe(200);
    }
    if (byBody !== undefined) {
      const own = on["GET /{}"]?.includes("Consumer") ? body : { ...body, id };
      expect((await called(byBody, {}, own)).status).toBe(201);
      expect((await called(on["DELETE /{}"] ?? "", named)).status).toBe(200);
    }
  });

  it("invalid bodies and queries are rejected as documented", async () => {
    const on = operationsOf(path);
    for (const [what, name] of Object.entries(on)) {
      if (!what.startsWith("P")) continue;
      const names = { ...named, field: "plugins" };
      expect((await called(name, names, "{no json")).status).toBe(400);
      expect((await called(name, names, { ...body, id: {}, username: 7, log_format: 7 })).status).toBeOneOf([
        400, 404,
      ]);
      expect((await called(name, names, body, { query: "?dry_run=perhaps" })).status).toBe(400);
    }
  });
});

describe("operations that are not on resources", () => {
  it("every other operation is called below", () => {
    const resources = Object.keys(BODIES).flatMap((path) => Object.values(operationsOf(path)));
    const others = api.operations
      .map(({ operationId }) => operationId)
      .filter((name) => !resources.includes(name));
    expect(others.sort()).toEqual(Object.keys(GIVEN).sort());
  });

  it.each(Object.keys(GIVEN))("%s responds as documented", async (name) => {
    const { path = {}, body, status = 200 } = GIVEN[name] ?? {};
    expect((await called(name, path, body)).status).toBe(status);
  });

  it.each([
    ["readPlugin", { name: "nobody" }, undefined, 404],
    ["readPluginReadme", { name: "nobody" }, undefined, 404],
    ["readPluginSchema", { name: "nobody" }, undefined, 404],
    ["validateResource", { kind: "routes" }, { uri: 5 }, 400],
    ["validateResource", { kind: "routes" }, "{", 400],
    ["validateConfiguration", {}, { routes: [{ uri: 5 }] }, 400],
    ["validateConfiguration", {}, "{", 400],
    ["readHealthOf", { source: "routes", id: "nobody" }, undefined, 404],
    ["readHealthOf", { source: "teapots", id: "filed" }, undefined, 400],
    ["adoptResource", { kind: "routes", id: "%zz" }, undefined, 404],
    ["tryRegex", {}, { pattern: "(", subject: "a" }, 200],
    ["tryRegex", {}, { regex: "a" }, 400],
    ["tryCaptchaAccess", {}, { site_key: "" }, 400],
  ] as const)("%s of %j with %j responds with a documented %i", async (name, path, body, status) => {
    expect((await called(name, path, body)).status).toBe(status);
  });

  it("a change is listed, read and reverted as documented", async () => {
    const { json } = await called("putRoute", { id: "changed" }, BODIES["routes"]?.body);
    const { list } = (await called("listChanges", {}, undefined, { query: "?kind=routes&id=changed" })).json;
    const number = String((list as { number: number }[])[0]?.number);
    expect((await called("readChange", { number })).json).toMatchObject({
      after: json["value"],
      current: true,
    });
    expect((await called("revertChange", { number })).status).toBe(200);
    expect((await called("revertChange", { number })).status).toBe(409);
    const again = (await called("listChanges", {}, undefined, { query: "?limit=1" })).json["list"];
    const last = String((again as { number: number }[])[0]?.number);
    expect((await called("revertChange", { number: last })).status).toBe(201);
    expect((await called("listChanges", {}, undefined, { query: "?limit=none" })).status).toBe(400);
    expect((await called("askWhichRoute", {}, { url: 5 })).status).toBe(400);
  });

  it("captcha statistics are an HTML page, as documented, if the client accepts HTML", async () => {
    const page = await called("readCaptchaStatistics", {}, undefined, { headers: { Accept: "text/html" } });
    expect(page.headers["content-type"]).toMatch(/^text\/html/);
  });
});

describe("every operation", () => {
  it("every operation responds with 401 without a right key, and writes also to a viewer", async () => {
    for (const { operationId, method } of api.operations) {
      const isOpen = method === "GET" || ASKS.includes(operationId);
      for (const key of ["", "wrong", ...(isOpen ? [] : [VIEWER_KEY])])
        expect([operationId, (await called(operationId, {}, undefined, { key })).status]).toEqual([
          operationId,
          401,
        ]);
    }
  });

  it("every reading operation is open to a viewer, except traces and live requests", async () => {
    const denied: string[] = [];
    for (const { operationId, method } of api.operations) {
      if (method !== "GET" && !ASKS.includes(operationId)) continue;
      const { status } = await called(operationId, {}, undefined, { key: VIEWER_KEY });
      if (status === 401 || status === 403) denied.push(operationId);
    }
    expect(denied.sort()).toEqual(["askWhichRouteLive", "listTraces", "readTrace"]);
  });

  it("every operation with a parameter responds with 400 to a path that cannot be decoded", async () => {
    for (const operation of api.operations.filter(({ path }) => path.includes("{"))) {
      const path = operation.path.replace(/\{\w+\}/, "%zz").replaceAll(/\{\w+\}/g, "x");
      const key = { "X-API-KEY": ADMIN_KEY };
      const answer = await exchange(admin.port("admin"), operation.method, path, undefined, key);
      expect([operation.operationId, answer.status, api.undocumented(operation, answer)]).toEqual([
        ...[operation.operationId, 400],
        [],
      ]);
    }
  });
});

describe("a method that a path does not document", () => {
  it("an undocumented method is rejected with error_msg, or with a page if no path has it", async () => {
    const key = { "X-API-KEY": ADMIN_KEY };
    for (const [path, methods] of Object.entries(api.document.paths)) {
      const real = pathOf(path, { id: "x", source: "routes", kind: "routes" });
      for (const method of ["GET", "PUT", "POST", "PATCH", "DELETE", "TRACE"]) {
        if (method.toLowerCase() in methods) continue;
        const { status, text, json } = await exchange(admin.port("admin"), method, real, "{}", key);
        const isPage = method === "TRACE" || path.startsWith("/v1/");
        expect([method, path, status, isPage ? /^<html>/.test(text) : typeof json["error_msg"]]).toEqual([
          ...[method, path],
          isPage ? 405 : expect.toBeOneOf([400, 404, 405]),
          isPage ? true : "string",
        ]);
      }
    }
  });

  it("HEAD responds as GET without a body", async () => {
    const key = { "X-API-KEY": ADMIN_KEY };
    const { status, text } = await exchange(
      admin.port("admin"),
      "HEAD",
      "/gw/admin/openapi.json",
      undefined,
      key,
    );
    expect([status, text]).toEqual([200, ""]);
  });
});
