import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newApiKey } from "../../../plugins/captcha/service/verify/api-key.js";
import { tokenFrom } from "../../support/captcha-visitor.js";
import { type HttpUpstream, httpUpstream } from "../../support/http-upstream.js";
import { SITE_KEY, siteKey } from "../captcha/captcha-gateway.js";
import { AdminGateway, exchange } from "../control/admin.js";

const { id, key } = newApiKey();
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

let gateway: AdminGateway;
let upstream: HttpUpstream;
beforeEach(async () => {
  upstream = await httpUpstream();
  gateway = await AdminGateway.start(
    JSON.stringify({
      captcha: { listen: { port: 0 } },
      captcha_customers: [{ id: "shop" }],
      captcha_site_keys: [{ id: SITE_KEY, ...siteKey() }],
      captcha_api_keys: [{ id, customer: "shop", key }],
    }),
  );
});
afterEach(async () => {
  await gateway.stop();
  upstream.close();
});

const captchaUrl = () => `http://127.0.0.1:${gateway.gateway.addresses["captcha"]?.[0]?.port}`;
const post = (body: string) => exchange(gateway.port("data"), "POST", "/form", body, FORM);

/** All bytes in files of a running gateway, except the configuration file. */
function kept(folder: string): string {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name !== "gateway.yaml")
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "latin1"))
    .join("\n");
}

describe("a route that is protected through the admin API", () => {
  it("[C36] a route of the admin API passes a form once with a token of the gateway's own captcha", async () => {
    const settings = { captcha_url: captchaUrl(), site_key: SITE_KEY, api_key: key };
    const route = { uri: "/form", upstream: { nodes: upstream.nodes }, plugins: { captcha: settings } };
    const written = await gateway.call("PUT", "/routes/form", route);
    expect(written.status, written.text).toBe(201);
    expect((await post("name=Ann")).status).toBe(403);
    const token = await tokenFrom(captchaUrl(), SITE_KEY);
    expect((await post(`name=Ann&captcha-token=${token}`)).status).toBe(200);
    expect((await post(`name=Ann&captcha-token=${token}`)).json["error"]).toBe("captcha_invalid");

    const read = await gateway.call("GET", "/routes/form");
    expect(read.text + written.text).not.toContain(key);
    expect(kept(gateway.directory)).not.toContain(key);
    const page = await exchange(gateway.port("metrics"), "GET", "/gw/prometheus/metrics");
    expect(page.text).toMatch(/gw_captcha_plugin_requests_total\{[^}]*result="verified"[^}]*\} 1/);
    expect(page.text).not.toContain(token);
  });

  it("a write with an unset variable as key is rejected, and the old route still serves", async () => {
    const settings = { captcha_url: captchaUrl(), site_key: SITE_KEY, api_key: "${{NO_SUCH_CAPTCHA_KEY}}" };
    const route = { uri: "/form", upstream: { nodes: upstream.nodes }, plugins: {} };
    expect((await gateway.call("PUT", "/routes/form", route)).status).toBe(201);
    const protectedRoute = { ...route, plugins: { captcha: settings } };
    const refused = await gateway.call("PUT", "/routes/form", protectedRoute);
    expect([refused.status, refused.json["error_msg"]]).toEqual([
      400,
      expect.stringContaining("NO_SUCH_CAPTCHA_KEY"),
    ]);
    expect((await gateway.call("GET", "/routes/form")).json["value"]).toHaveProperty("plugins", {});
    const { status, text } = await post("name=Ann");
    expect([status, text]).toEqual([200, "ok"]);
  });

  it("a write of new settings changes field and status of the captcha plugin", async () => {
    const settings = { captcha_url: captchaUrl(), site_key: SITE_KEY, api_key: key };
    const route = (more: object) => ({
      uri: "/form",
      upstream: { nodes: upstream.nodes },
      plugins: { captcha: { ...settings, ...more } },
    });
    await gateway.call("PUT", "/routes/form", route({}));
    const first = await tokenFrom(captchaUrl(), SITE_KEY);
    expect((await post(`captcha-token=${first}`)).status).toBe(200);
    await gateway.call("PUT", "/routes/form", route({ field: "proof", reject_status: 422 }));
    const second = await tokenFrom(captchaUrl(), SITE_KEY);
    expect((await post(`captcha-token=${second}`)).status).toBe(422);
    expect((await post(`proof=${second}`)).status).toBe(200);
  });
});
