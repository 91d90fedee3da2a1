import { afterAll, beforeAll, expect, it } from "vitest";
import { AdminGateway, exchange, UPSTREAM } from "./admin.js";

const FILE = `routes:
  - id: shop
    uri: /shop
    upstream: ${JSON.stringify(UPSTREAM)}
    plugins: { proxy-rewrite: { headers: { set: { X-A: "1" } } } }
`;

let admin: AdminGateway;
beforeAll(async () => {
  admin = await AdminGateway.start(FILE);
});
afterAll(() => admin.stop());

async function generation(): Promise<unknown> {
  const { json } = await exchange(admin.port("status"), "GET", "/status/ready");
  return json["generation"];
}

it("a reload without a change of meaning makes no generation, and later messages have the new locations", async () => {
  const before = await generation();
  admin.write(`# a comment\n\n${FILE}`);
  expect(await admin.gateway.reload()).toBe(true);
  expect(await generation()).toBe(before);
  const refused = await admin.call("PUT", "/routes/shop", { uri: "/x", upstream: UPSTREAM });
  expect(refused.text).toContain("gateway.yaml:4");
  admin.write(FILE.replace('"1"', '"2"'));
  expect(await admin.gateway.reload()).toBe(true);
  expect(await generation()).not.toBe(before);
});
