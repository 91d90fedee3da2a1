import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { newApiKey } from "../../../plugins/captcha/service/verify/api-key.js";
import { tokenFrom } from "../../support/captcha-visitor.js";
import { useUpstream } from "../../support/http-upstream.js";
import { freePort } from "../../support/ports.js";
import { CaptchaAdmin } from "../captcha/captcha-admin.js";
import { ADMIN_KEY, AdminGateway, exchange, UPSTREAM } from "./admin.js";

const SITE_KEY = "sk_shop_front";
const { id, key } = newApiKey();
const RESOURCES = `captcha_customers: [{ id: shop }]
captcha_site_keys:
  - { id: ${SITE_KEY}, customer: shop, hostnames: [localhost], challenge_mode: never, pow_bits: 10 }
captcha_api_keys: [{ id: ${id}, customer: shop, key: ${key} }]
`;
const section = (port: number) =>
  `captcha: { listen: { ip: 127.0.0.1, port: ${port} }, store: { type: memory } }\n`;
const plugin = (more: object = {}) => ({ captcha: { site_key: SITE_KEY, api_key: key, ...more } });

const live = useUpstream();
let gateway: AdminGateway;
let port = 0;
beforeAll(async () => {
  port = await freePort();
  gateway = await AdminGateway.start(section(port) + RESOURCES);
});
afterAll(() => gateway.stop());

const post = (of: AdminGateway, path: string, token: string) =>
  exchange(of.port("data"), "POST", path, `captcha-token=${token}`, {
    "Content-Type": "application/x-www-form-urlencoded",
  });

describe("the captcha plugin without captcha_url", () => {
  it("a captcha plugin without captcha_url verifies tokens with the captcha of the same configuration", async () => {
    const route = { uri: "/signup", upstream: { nodes: live.nodes }, plugins: plugin() };
    const written = await gateway.call("PUT", "/routes/signup", route);
    expect([written.status, written.json["warnings"]]).toEqual([201, undefined]);
    const token = await tokenFrom(`http://127.0.0.1:${port}`, SITE_KEY);
    expect((await post(gateway, "/signup", token)).status).toBe(200);
    expect((await post(gateway, "/signup", token)).status).toBe(403);
  });

  it("a captcha plugin without captcha_url causes GW4324 if the captcha's port is chosen at start", async () => {
    const other = await AdminGateway.start(section(0) + RESOURCES);
    const route = { uri: "/signup", upstream: UPSTREAM, plugins: plugin() };
    const { json } = await other.call("PUT", "/routes/signup?dry_run=true", route);
    expect(json["warnings"]).toMatchObject([{ code: "GW4324" }]);
    await other.stop();
  });
});

describe("a captcha that gives no verdict", () => {
  let admin: CaptchaAdmin;
  afterEach(() => admin.stop());

  it("a captcha without a verdict is logged once with the reason and named in the overview", async () => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    admin = await CaptchaAdmin.start(RESOURCES);
    const route = { uri: "/signup", upstream: UPSTREAM, plugins: plugin({ captcha_url: nobody }) };
    expect((await admin.admin.call("PUT", "/routes/signup", route)).status).toBe(201);
    for (let i = 0; i < 3; i++) expect((await post(admin.admin, "/signup", "aa.bb.cc")).status).toBe(503);
    const values = { route: "signup", url: nobody, error: "econnrefused", site_key: SITE_KEY };
    const lines = admin.logged.filter((line) => line.includes("captcha_gives_no_verdict"));
    expect(lines).toHaveLength(1);
    for (const value of Object.values(values)) expect(lines[0]).toContain(value);
    expect(lines[0]).not.toContain(key);
    const { json } = await exchange(admin.admin.port("admin"), "GET", "/gw/admin/overview", undefined, {
      "X-API-KEY": ADMIN_KEY,
    });
    const found = (json["attention"] as { kind: string }[]).filter(
      ({ kind }) => kind === "captcha.no_verdict",
    );
    expect(found).toMatchObject([{ severity: "error", subject: "routes/signup", values }]);
  });
});
