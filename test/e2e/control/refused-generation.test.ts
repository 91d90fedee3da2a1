import { afterAll, beforeAll, expect, it } from "vitest";
import { AdminGateway, exchange, UPSTREAM } from "./admin.js";

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start();
});
afterAll(() => admin.stop());

it("a write that the workers refuse is answered 400 with their reason, and changes nothing", async () => {
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
