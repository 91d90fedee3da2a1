// Who may arm traces and see them, in a gateway of one process.
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

it("traces are armed by admin keys alone, which the audit log tells, and shown to no viewer", async () => {
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
