// Access to traces, and their steps, in a gateway of one process.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { until } from "../../support/patience.js";
import { ADMIN_KEY, AdminGateway, exchange, VIEWER_KEY } from "./admin.js";

let gateway: AdminGateway;
beforeAll(async () => {
  const route = "routes: [{ id: gone, uri: /gone, plugins: { redirect: { uri: /there, ret_code: 302 } } }]";
  gateway = await AdminGateway.start(route, { audit_log: "audit.jsonl" });
});
afterAll(() => gateway.stop());

it("a trace is armed only by an admin key and audited, and a viewer may not read it", async () => {
  const armed = await gateway.call("POST", "/trace", { match: { uri: "/gone" } });
  expect(armed.status).toBe(201);
  const path = `/trace/${armed.json["id"] as string}`;
  expect((await exchange(gateway.port("data"), "GET", "/gone")).status).toBe(302);
  const told = await until(async () => {
    const { json } = await gateway.call("GET", path);
    return json["state"] === "done" ? json : undefined;
  });
  expect(told["traces"]).toMatchObject([
    { route: { id: "gone" }, response: { status: 302, own: true }, attempts: [] },
  ]);
  expect((await gateway.call("POST", "/trace", {}, { key: VIEWER_KEY })).status).toBe(401);
  expect((await gateway.call("DELETE", path, undefined, { key: VIEWER_KEY })).status).toBe(401);
  for (const read of ["/trace", path])
    expect((await gateway.call("GET", read, undefined, { key: VIEWER_KEY })).status).toBe(403);
  const lines = readFileSync(join(gateway.directory, "audit.jsonl"), "utf8").trim().split("\n");
  const audited = lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(audited).toContainEqual(
    expect.objectContaining({ method: "POST", path: "/gw/admin/trace", status: 201, key: "admin" }),
  );
  expect(lines.join("\n")).not.toContain(ADMIN_KEY);
});

it("a trace lists plugins that changed nothing, with their conditions", async () => {
  const header = (name: string, value: string) => ({ headers: { set: { [name]: value } } });
  const plugins = {
    "proxy-rewrite": { ...header("X-Sent", "yes"), _meta: { filter: [["arg_rewrite", "==", "1"]] } },
    "response-rewrite": { ...header("X-Set", "yes"), vars: [["status", "==", 302]] },
    redirect: { uri: "/there", ret_code: 302, _meta: { filter: [["arg_go", "==", "1"]] } },
  };
  const upstream = { nodes: { "127.0.0.1:9": 1 } };
  expect((await gateway.call("PUT", "/routes/conditional", { uri: "/if", plugins, upstream })).status).toBe(
    201,
  );
  async function stepsOf(path: string) {
    const { json } = await gateway.call("POST", "/trace", { match: { uri: "/if" } });
    await exchange(gateway.port("data"), "GET", path);
    const told = await until(async () => {
      const read = await gateway.call("GET", `/trace/${json["id"] as string}`);
      return read.json["state"] === "done" ? read.json : undefined;
    });
    const [trace] = told["traces"] as {
      phases: { steps: { plugin: string; condition: string | null; place: string; changes: unknown[] }[] }[];
    }[];
    return trace?.phases.flatMap(({ steps }) =>
      steps.map(({ plugin, condition, changes }) => [plugin, condition, changes.length > 0]),
    );
  }
  expect(await stepsOf("/if")).toEqual([
    ["proxy-rewrite", '$arg_rewrite is "1"', false],
    ["redirect", '$arg_go is "1"', false],
    ["response-rewrite", "$status is 302", false],
  ]);
  expect(await stepsOf("/if?rewrite=1")).toEqual([
    ["proxy-rewrite", '$arg_rewrite is "1"', true],
    ["redirect", '$arg_go is "1"', false],
    ["response-rewrite", "$status is 302", false],
  ]);
  expect(await stepsOf("/if?go=1&rewrite=1")).toEqual([
    ["proxy-rewrite", '$arg_rewrite is "1"', true],
    ["redirect", '$arg_go is "1"', true],
    ["response-rewrite", "$status is 302", true],
  ]);
});
