// Traces of live traffic, in a gateway of two workers.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TraceReport } from "../../../runtime/control/traces.js";
import { useUpstream } from "../../support/http-upstream.js";
import { LineServer } from "../../support/line-server.js";
import { until } from "../../support/patience.js";
import { exchange } from "../control/admin.js";
import { ProcessGateway } from "./gateway.js";

const CLIENT_KEY = "consumer-key-of-ada";
const ENVIRONMENT = { GWC_TRACE_TOKEN: "value-of-the-environment" };
const STORED_SECRET = "written-out-key-of-bob";

const upstream = useUpstream((_request, response) => {
  response.writeHead(200, { "X-From": "upstream", "Set-Cookie": "session=secret-of-the-upstream" });
  response.end("ok");
});

let logs: LineServer;

const resources = () => ({
  services: [
    { id: "shop", plugins: { "key-auth": { hide_credentials: true } }, upstream: { nodes: upstream.nodes } },
  ],
  routes: [
    {
      id: "orders",
      name: "Orders",
      uri: "/orders/*",
      service_id: "shop",
      plugins: {
        "proxy-rewrite": {
          regex_uri: ["^/orders/(.*)$", "/v2/$1"],
          headers: {
            set: { "X-Token": "${{GWC_TRACE_TOKEN}}", "X-Copy": "$http_apikey" },
            remove: ["X-Debug"],
          },
        },
        "response-rewrite": { headers: { set: { "X-Route": "orders" }, remove: ["X-From"] } },
      },
    },
    {
      id: "logged",
      uri: "/logged",
      upstream: { nodes: upstream.nodes },
      plugins: {
        syslog: {
          ...{ host: "127.0.0.1", port: logs.port, batch_max_size: 1 },
          ...{ include_req_body: true, include_resp_body: true },
        },
      },
    },
    { id: "open", uri: "/open", upstream: { nodes: upstream.nodes } },
    {
      ...{ id: "copying", name: "Копии", uri: "/copying", upstream: { nodes: upstream.nodes } },
      plugins: { "response-rewrite": { headers: { set: { "X-Session": "$upstream_http_set_cookie" } } } },
    },
  ],
  global_rules: [
    { id: "1", plugins: { "response-rewrite": { headers: { set: { "X-Everywhere": "yes" } } } } },
  ],
  consumers: [
    { username: "ada", plugins: { "key-auth": { key: CLIENT_KEY } } },
    { username: "bob", plugins: { "key-auth": { key: STORED_SECRET } } },
  ],
});

let gateway: ProcessGateway;
beforeAll(async () => {
  logs = await LineServer.start();
  Object.assign(process.env, ENVIRONMENT);
  gateway = await ProcessGateway.start(resources());
});
afterAll(async () => {
  for (const name of Object.keys(ENVIRONMENT)) delete process.env[name];
  await gateway.end();
  await logs.stop();
});

async function arm(wanted: object): Promise<string> {
  const { status, text, json } = await gateway.admin("POST", "/trace", wanted);
  expect([status, text]).toEqual([201, expect.any(String)]);
  return json["id"] as string;
}
const read = async (id: string) =>
  (await gateway.admin("GET", `/trace/${id}`)).json as unknown as TraceReport;
const caughtBy = (id: string, count: number) =>
  until(async () => {
    const told = await read(id);
    return told.traces.length >= count && told.state !== "armed" ? told : undefined;
  });
const call = (path = "/orders/7?apikey=query-key-of-somebody&a=b", headers: Record<string, string> = {}) =>
  gateway.get(path, { apikey: CLIENT_KEY, "X-Debug": "1", ...headers });
const field = (message: { headers: [string, string][] } | null, name: string) =>
  message?.headers.find(([one]) => one.toLowerCase() === name)?.[1];

describe("a trace", () => {
  it("a trace shows changes, location and time of each step, the upstream's messages and the response", async () => {
    const id = await arm({ match: { route_id: "orders" } });
    expect((await call()).status).toBe(200);
    const { state, traces } = await caughtBy(id, 1);
    const [trace] = traces;
    expect(state).toBe("done");
    expect(trace).toMatchObject({
      client: "127.0.0.1",
      request: { method: "GET", protocol: "HTTP/1.1" },
      route: { id: "orders", name: "Orders", service: "shop", uris: ["/orders/*"] },
      attempts: [{ status: 200, upstream: "service:shop", body_bytes: 2 }],
      upstream_request: { method: "GET", target: "/v2/7?a=b" },
      upstream_response: { status: 200 },
      response: { status: 200, own: false },
      ...{ response_body_bytes: 2, cut: false },
    });
    const steps = trace?.phases.flatMap(({ phase, owner, steps: own }) =>
      own.map((step) => ({ phase, owner, ...step })),
    );
    expect(steps?.map(({ phase, owner, plugin }) => [phase, owner, plugin])).toEqual([
      ["rewrite", "routes/orders", "proxy-rewrite"],
      ["access", "routes/orders", "key-auth"],
      ["headerFilter", "global_rules/1", "response-rewrite"],
      ["headerFilter", "routes/orders", "response-rewrite"],
    ]);
    const [rewrite, auth, everywhere, own] = steps ?? [];
    expect(rewrite?.changes).toEqual(
      expect.arrayContaining([
        { of: "request", what: "target", before: "/orders/7?apikey=***&a=b", after: "/v2/7?apikey=***&a=b" },
        { of: "request", what: "header", name: "X-Debug", before: "1", after: null },
        { of: "request", what: "header", name: "X-Token", before: null, after: "***" },
      ]),
    );
    expect(auth?.address).toBe("services/shop plugins.key-auth");
    expect(auth?.changes).toEqual(
      expect.arrayContaining([
        { of: "request", what: "consumer", before: null, after: "ada" },
        { of: "request", what: "header", name: "apikey", before: "***", after: null },
      ]),
    );
    expect(everywhere?.changes).toEqual([
      { of: "response", what: "header", name: "X-Everywhere", before: null, after: "yes" },
    ]);
    expect(own?.changes).toEqual([
      { of: "response", what: "header", name: "X-From", before: "upstream", after: null },
      { of: "response", what: "header", name: "X-Route", before: null, after: "orders" },
    ]);
    const lines = readFileSync(join(gateway.directory, "gateway.json"), "utf8").split("\n");
    for (const step of steps ?? []) {
      const [, line, column] = /^gateway\.json:(\d+):(\d+)$/.exec(step.place) ?? [];
      expect(lines[Number(line) - 1]?.slice(Number(column) - 1)).toMatch(new RegExp(`^"${step.plugin}"`));
      expect(step.us).toBeGreaterThanOrEqual(0);
    }
    expect(field(trace?.upstream_response ?? null, "x-from")).toBe("upstream");
    expect(field(trace?.upstream_response ?? null, "server")).toBeUndefined();
    expect(field(trace?.response ?? null, "x-from")).toBeUndefined();
    expect(field(trace?.response ?? null, "server")).toMatch(/^GW/);
  });

  it("a trace shows no credential of the request or configuration and no value of the environment", async () => {
    const id = await arm({ match: { uri: "/orders/*" } });
    await call("/orders/7?apikey=query-key-of-somebody", {
      Authorization: "Bearer token-of-the-client",
      Cookie: "session=cookie-of-the-client",
      "X-Said": `they are ${STORED_SECRET} and ${ENVIRONMENT.GWC_TRACE_TOKEN}`,
    });
    const { traces } = await caughtBy(id, 1);
    const text = JSON.stringify(traces);
    const secrets = [CLIENT_KEY, STORED_SECRET, ENVIRONMENT.GWC_TRACE_TOKEN, "secret-of-the-upstream"];
    for (const secret of [...secrets, "query-key", "token-of-the-client", "cookie-of-the-client"])
      expect(text).not.toContain(secret);
    const names = traces[0]?.request.headers.map(([name]) => name.toLowerCase());
    expect(names).toEqual(expect.arrayContaining(["apikey", "authorization", "cookie", "x-said"]));
  });

  it("a trace masks credentials in copied headers and in its own filter, and shows names unchanged", async () => {
    const basic = `Basic ${Buffer.from("ada:password-of-ada").toString("base64")}`;
    const header = { apikey: "key-that-is-looked-for", "X-Said": STORED_SECRET, "X-Debug": "1" };
    const id = await arm({ match: { route_id: "copying", header } });
    await gateway.get("/copying", { ...header, Authorization: basic, "X-Again": "password-of-ada" });
    const told = await caughtBy(id, 1);
    const text = JSON.stringify([told, (await gateway.admin("GET", "/trace")).json]);
    for (const secret of ["password-of-ada", "key-that-is", STORED_SECRET, "secret-of-the-upstream"])
      expect(text).not.toContain(secret);
    expect(told.match.header).toEqual({ apikey: "***", "X-Said": "***", "X-Debug": "1" });
    const [trace] = told.traces;
    expect(trace?.route?.name).toBe("Копии");
    expect(field(trace?.response ?? null, "x-session")).toMatch(/^\*\*\*(?:;|$)/);
  });

  it("a trace catches matching requests of all workers up to its count and no others", async () => {
    const match = { method: "GET", host: "127.0.0.1", uri: "/o*", header: { "X-Wanted": "yes" } };
    const id = await arm({ count: 6, match: { ...match, client: "127.0.0.0/8" } });
    const wanted = { "X-Wanted": "yes" };
    await call("/orders/1");
    await call("/orders/1", { "X-Wanted": "no" });
    await exchange(gateway.port, "POST", "/orders/1", "x", { apikey: CLIENT_KEY, ...wanted });
    expect((await read(id)).caught).toBe(0);
    for (let i = 0; i < 12; i += 1) await call(`/orders/${i}`, wanted);
    const { traces, caught } = await caughtBy(id, 6);
    expect([traces.length, caught]).toEqual([6, 6]);
    expect(traces.every((trace) => field(trace.request, "x-wanted") === "yes")).toBe(true);
  });

  it("a trace shows a request without a route and a local reply of a plugin", async () => {
    const id = await arm({ count: 2 });
    expect((await gateway.get("/nowhere")).status).toBe(404);
    expect((await gateway.get("/orders/7")).status).toBe(401);
    // Two workers report the requests in any order.
    const { traces } = await caughtBy(id, 2);
    const answered = (status: number) => traces.find(({ response }) => response?.status === status);
    expect(answered(404)).toMatchObject({
      ...{ route: null, attempts: [], upstream_request: null, upstream_response: null },
      response: { status: 404, own: true },
    });
    const refused = answered(401)?.phases.find(({ phase }) => phase === "access")?.steps[0];
    expect(refused).toMatchObject({ plugin: "key-auth" });
    expect(refused?.changes).toContainEqual({ of: "response", what: "answer", before: null, after: "401" });
  });

  it("a trace continues through a reload and shows the generation of each request", async () => {
    const id = await arm({ count: 2, match: { route_id: "open" } });
    await call("/open");
    const route = {
      uri: "/stored",
      plugins: { "proxy-rewrite": { uri: "/x" } },
      upstream: { nodes: upstream.nodes },
    };
    expect((await gateway.admin("PUT", "/routes/stored", route)).status).toBe(201);
    await call("/open");
    const { traces } = await caughtBy(id, 2);
    const [first, second] = traces.map(({ generation }) => generation).sort((a, b) => a - b);
    expect(second).toBe((first ?? 0) + 1);
    const stored = await arm({ match: { route_id: "stored" } });
    await call("/stored");
    const { traces: found } = await caughtBy(stored, 1);
    expect(found[0]?.phases[0]?.steps[0]).toMatchObject({ plugin: "proxy-rewrite", place: "store" });
  });

  it("a trace stops when it is deleted or expires, and a new worker joins it", async () => {
    const id = await arm({ count: 100, for_seconds: 600, match: { uri: "/open" } });
    const short = await arm({ count: 5, for_seconds: 1, match: { uri: "/open" } });
    const [first] = await gateway.workers();
    process.kill(first?.pid ?? 0, "SIGKILL");
    await until(async () => {
      const pids = (await gateway.workers()).map(({ pid }) => pid);
      return pids.length === 2 && !pids.includes(first?.pid ?? 0) && (await gateway.ready())
        ? true
        : undefined;
    });
    await until(async () => (await read(short)).state === "ended");
    // The kernel may give sequential requests to the worker that it woke last.
    await until(async () => {
      await Promise.all(Array.from({ length: 10 }, () => call("/open")));
      const { traces } = await read(id);
      return traces.some(({ worker }) => worker === first?.worker);
    });
    const disarmed = await gateway.admin("DELETE", `/trace/${id}`);
    const { caught } = disarmed.json as unknown as TraceReport;
    expect([disarmed.status, disarmed.json["state"]]).toEqual([200, "ended"]);
    await call("/open");
    await call("/open");
    expect(await read(id)).toMatchObject({ state: "ended", caught });
    expect((await read(short)).caught).toBe(0);
    const { json } = await gateway.admin("GET", "/trace");
    expect(json).toContainEqual(expect.objectContaining({ id, state: "ended" }));
  });
});

describe("a traced request", () => {
  it("a traced request is logged like any other, with its bodies", async () => {
    const id = await arm({ match: { route_id: "logged" } });
    const post = () => exchange(gateway.port, "POST", "/logged", "what was sent");
    for (const _ of ["traced", "not traced"]) expect((await post()).text).toBe("ok");
    const bodies = (await logs.records(2)).map((record) => {
      const { request, response } = record as Record<string, { body: string }>;
      return [request?.body, response?.body];
    });
    expect(bodies).toEqual([
      ["what was sent", "ok"],
      ["what was sent", "ok"],
    ]);
    const { traces } = await caughtBy(id, 1);
    const log = traces[0]?.phases.find(({ phase }) => phase === "log");
    expect(log?.steps).toMatchObject([{ plugin: "syslog", changes: [] }]);
  });
});

describe("POST /trace", () => {
  it("POST /trace is rejected for invalid filters and for a fifth trace at a time", async () => {
    const refused = async (body: object) => (await gateway.admin("POST", "/trace", body)).json["error_msg"];
    expect(await refused({ match: { path: "/a" } })).toContain("found path");
    expect(await refused({ count: 101 })).toContain("count");
    expect(await refused({ match: { client: "here" } })).toContain("client");
    const ids: string[] = [];
    for (let i = 0; i < 4; i += 1) ids.push(await arm({ match: { uri: "/never" } }));
    expect((await gateway.admin("POST", "/trace", {})).status).toBe(409);
    for (const id of ids) expect((await gateway.admin("DELETE", `/trace/${id}`)).status).toBe(200);
    expect((await gateway.admin("GET", "/trace/none")).status).toBe(404);
  });
});
