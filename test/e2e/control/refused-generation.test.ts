import { afterAll, beforeAll, expect, it } from "vitest";
import { AdminGateway, exchange, UPSTREAM } from "./admin.js";

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start();
});
afterAll(() => admin.stop());

it("a write that the workers reject responds with 400 and their reason, and changes nothing", async () => {
  const before = await admin.call("PUT", "/routes/r", { uri: "/r", upstream: UPSTREAM });
  const refused = await admin.call("PUT", "/routes/r", {
    uri: "/other",
    upstream: { nodes: { "${{GWC_TEST_NOT_SET}}:80": 1 } },
  });
  const reason = 'upstream "route:r" needs GWC_TEST_NOT_SET in the environment';
  expect(refused.status).toBe(400);
  expect(refused.json["error_msg"]).toBe(reason);
  expect(refused.json["diagnostics"]).toEqual([
    expect.objectContaining({ code: "GW6005", severity: "error", message: reason }),
  ]);
  const after = await admin.call("GET", "/routes/r");
  expect(after.json["value"]).toEqual(before.json["value"]);
  expect((await exchange(admin.port("data"), "GET", "/other")).status).toBe(404);
  expect((await exchange(admin.port("data"), "GET", "/r")).status).toBe(502);
});

it("a dry run of a write that the workers reject has the same response, and creates no file", async () => {
  const route = { uri: "/r", upstream: { nodes: { "${{GWC_TEST_NOT_SET}}:80": 1 } } };
  const done = await admin.call("PUT", "/routes/r", route);
  const files = admin.files();
  const tried = await admin.call("PUT", "/routes/r?dry_run=true", route);
  expect(tried.status).toBe(400);
  expect([tried.status, tried.text]).toEqual([done.status, done.text]);
  const validated = await admin.call("POST", "/schema/validate/routes", { id: "r", ...route });
  expect([validated.status, validated.json["error_msg"]]).toEqual([400, done.json["error_msg"]]);
  expect(admin.files()).toEqual(files);
  expect((await admin.call("PUT", "/routes/r", { uri: "/r", upstream: UPSTREAM })).status).toBe(200);
});

it("a dry run of adopt is rejected if the workers reject it", async () => {
  const nodes = { "${{GWC_TEST_NOT_SET}}:80": 1 };
  admin.write(JSON.stringify({ routes: [{ id: "r", uri: "/r", upstream: { nodes } }] }));
  const tried = await admin.call("POST", "/adopt/routes/r?dry_run=true");
  expect([tried.status, tried.json["error_msg"]]).toEqual([
    400,
    'upstream "route:r" needs GWC_TEST_NOT_SET in the environment',
  ]);
  expect((await exchange(admin.port("data"), "GET", "/r")).status).toBe(502);
  admin.write("");
});

it("a dry run of a durable logger creates no spool", async () => {
  const plugins = { syslog: { host: "127.0.0.1", port: 9, delivery: "durable" } };
  const files = admin.files();
  const tried = await admin.call("PUT", "/routes/spooled?dry_run=true", {
    uri: "/s",
    upstream: UPSTREAM,
    plugins,
  });
  expect(tried.status).toBe(201);
  expect(admin.files()).toEqual(files);
});
