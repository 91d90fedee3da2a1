// A secret that is the default of a variable is a plain-text secret.
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ADMIN_KEY, AdminGateway, exchange, UPSTREAM, VIEWER_KEY } from "./admin.js";

const FILED = "filed-default-0123456789";
const STORED = "stored-default-0123456789";
const MASK = /^\*{3}[0-9a-f]{8}$/;
const keyOf = (value: unknown) =>
  (value as { plugins: { "key-auth": { key: string } } }).plugins["key-auth"].key;

let admin: AdminGateway;
beforeAll(async () => {
  process.env["GWC_DEFAULTS_SET"] = "key-of-eve";
  admin = await AdminGateway.start(`consumers:
  - { username: ada, plugins: { key-auth: { key: "\${{GWC_DEFAULTS_TEST:=${FILED}}}" } } }
  - { username: eve, plugins: { key-auth: { key: "\${{GWC_DEFAULTS_SET}}" } } }
`);
  const plugins = { "key-auth": { key: `\${{GWC_DEFAULTS_TEST:=${STORED}}}` } };
  expect((await admin.call("PUT", "/consumers/bob", { username: "bob", plugins })).status).toBe(201);
  await admin.call("PUT", "/routes/r", { uri: "/r", upstream: UPSTREAM, plugins: { "key-auth": {} } });
});
afterAll(async () => {
  delete process.env["GWC_DEFAULTS_SET"];
  await admin.stop();
});

describe("a secret that is the default of a variable", () => {
  it.each([
    ["admin", ADMIN_KEY],
    ["viewer", VIEWER_KEY],
  ])("a secret that is a variable's default is in no response to a key of role %s", async (_, key) => {
    const paths = ["/consumers", "/consumers/ada", "/consumers/bob", "/history", "/history/1", "/export"];
    for (const path of [...paths, "/export?format=json", "/module/routes/r", "/overview"]) {
      const { status, text } = await admin.call("GET", path, undefined, { key });
      expect([path, status < 500]).toEqual([path, true]);
      expect([path, [FILED, STORED].filter((secret) => text.includes(secret))]).toEqual([path, []]);
    }
  });

  it("a key whose variable has a default is masked as a whole, one without a default is shown", async () => {
    const { json } = await admin.call("GET", "/consumers/ada");
    expect(keyOf(json["value"])).toMatch(MASK);
    const { json: eve } = await admin.call("GET", "/consumers/eve");
    expect(keyOf(eve["value"])).toBe(`\${{GWC_DEFAULTS_SET}}`);
  });

  it("a secret that is a variable's default is retained when its mask is sent back", async () => {
    const { json } = await admin.call("GET", "/consumers/bob");
    const value = { username: "bob", plugins: { "key-auth": { key: keyOf(json["value"]) } }, desc: "other" };
    expect((await admin.call("PUT", "/consumers/bob", value)).status).toBe(200);
    const served = await exchange(admin.port("data"), "GET", "/r", undefined, { apikey: STORED });
    expect(served.status).toBe(502);
  });
});
