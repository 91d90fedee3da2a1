/** `npm run screenshots:ui [-- NAME…]`: the pages of the web interface with something on them, or those named, into docs/web-interface/. */
import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { BrowserContextOptions, Page } from "playwright-core";
import { ADMIN_KEY } from "../e2e/control/admin.js";
import { DashboardHarness } from "../e2e/dashboard/harness.js";
import { tokenFrom } from "../support/captcha-visitor.js";
import { httpUpstream } from "../support/http-upstream.js";

const FOLDER = fileURLToPath(new URL("../../../docs/web-interface/", import.meta.url));
/** Seconds with traffic, so that the overview has lines to draw. */
const TRAFFIC_SECONDS = 40;
let over = false;

interface Shot {
  name: string;
  path: string;
  options?: BrowserContextOptions;
  /** Before anybody has signed in. */
  isOutside?: true;
  /** Until there is what is to be seen. */
  reach(page: Page): Promise<unknown>;
}

const heading = (name: string) => (page: Page) => page.getByRole("heading", { name, level: 1 }).waitFor();
const asked = `/which-route?method=GET&url=${encodeURIComponent("/orders/7")}`;
const sandbox = `/sandbox?pattern=${encodeURIComponent("[0-9]{4}(?=[0-9]{4})")}&replace=${encodeURIComponent("****")}`;

/** The service with one more plugin. */
const STOREFRONT = {
  name: "storefront",
  upstream_id: "shop",
  plugins: { "response-rewrite": { headers: { set: { "Cache-Control": "no-store" } } } },
};

const listed = (name: string, title: string): Shot => ({ name, path: `/${name}`, reach: heading(title) });

const SHOTS: readonly Shot[] = [
  { name: "sign-in", path: "", isOutside: true, reach: (page) => page.getByLabel("Admin key").waitFor() },
  listed("services", "Services"),
  listed("upstreams", "Upstreams"),
  listed("plugin_configs", "Plugin configurations"),
  listed("global_rules", "Global rules"),
  listed("consumers", "Consumers"),
  listed("ssls", "Certificates"),
  listed("logs", "Logs"),
  {
    name: "upstream",
    path: "/upstreams/shop",
    reach: (page) => page.getByRole("table", { name: /nodes/i }).first().waitFor(),
  },
  { name: "new-route", path: "/new/routes", reach: (page) => page.locator(".rjsf").first().waitFor() },
  {
    name: "pipeline",
    path: "/routes/orders",
    async reach(page) {
      await page.getByRole("tab", { name: "Pipeline" }).click();
      await page.getByRole("list", { name: "Pipeline" }).waitFor();
    },
  },
  {
    name: "russian",
    path: "/routes",
    options: { locale: "ru-RU" },
    reach: (page) => page.getByRole("link", { name: "checkout" }).waitFor(),
  },
  { name: "overview", path: "", reach: (page) => page.locator("canvas").first().waitFor() },
  {
    name: "overview-dark",
    path: "",
    options: { colorScheme: "dark" },
    reach: (page) => page.locator("canvas").first().waitFor(),
  },
  {
    name: "routes",
    path: "/routes",
    reach: (page) => page.getByRole("link", { name: "checkout" }).waitFor(),
  },
  { name: "route", path: "/routes/orders", reach: (page) => page.locator(".rjsf").first().waitFor() },
  {
    name: "route-yaml",
    path: "/routes/orders?tab=yaml",
    reach: (page) => page.locator(".cm-content").waitFor(),
  },
  {
    name: "traffic",
    path: "/services/storefront?tab=json",
    async reach(page) {
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+a");
      await page.keyboard.insertText(JSON.stringify(STOREFRONT, null, 2));
      await page.getByRole("tab", { name: "Traffic" }).click();
      await page.getByRole("tabpanel", { name: "Traffic" }).getByText("checkout").first().waitFor();
    },
  },
  { name: "plugins", path: "/plugins", reach: heading("Plugins") },
  {
    name: "used-by",
    path: "/plugin_configs/api-headers",
    reach: (page) => page.getByText("routes/orders").waitFor(),
  },
  {
    name: "which-route",
    path: asked,
    async reach(page) {
      await page.getByRole("button", { name: "Ask" }).click();
      await page.getByRole("region", { name: "What becomes of the request" }).waitFor();
    },
  },
  {
    name: "trace",
    path: "/trace",
    async reach(page) {
      await page.getByLabel("Path").fill("/orders/*");
      await page.getByRole("button", { name: "Start" }).click();
      await page.getByText("1 of 1 caught").waitFor();
    },
  },
  {
    name: "module",
    path: "/module/routes/orders",
    reach: (page) => page.locator(".cm-content").nth(2).waitFor(),
  },
  {
    name: "sandbox",
    path: sandbox,
    async reach(page) {
      await page.getByRole("textbox", { name: "Body", exact: true }).click();
      await page.keyboard.type("card 4111111111111111, thank you");
      await page.locator(".match").first().waitFor();
    },
  },
  {
    name: "captcha",
    path: "/plugin/captcha",
    reach: (page) =>
      page
        .getByRole("row", { name: /^sk_shop_checkout/ })
        .last()
        .waitFor(),
  },
  {
    name: "captcha-site-key",
    path: "/plugin/captcha?open=sk_shop_checkout",
    async reach(page) {
      await page.getByRole("tab", { name: "Page and backend" }).click();
      await page.getByText("curl --get").waitFor();
    },
  },
  {
    name: "history",
    path: "/history",
    reach: (page) =>
      page
        .getByRole("button", { name: /orders/ })
        .first()
        .waitFor(),
  },
  {
    name: "narrow",
    path: "/routes/orders",
    options: { viewport: { width: 390, height: 844 } },
    reach: (page) => page.locator(".rjsf").first().waitFor(),
  },
];

/** A small shop: what its pages show is what a reader knows. */
async function fill(harness: DashboardHarness, nodes: Record<string, number>): Promise<void> {
  const put = (path: string, body: unknown) => harness.gateway.call("PUT", path, body);
  const labels = { team: "shop" };
  await put("/upstreams/shop", { name: "shop", nodes });
  await put("/plugin_configs/api-headers", {
    plugins: {
      "proxy-rewrite": { headers: { set: { "X-Request-Source": "gateway" }, remove: ["X-Debug-Token"] } },
    },
  });
  await put("/services/storefront", { name: "storefront", upstream_id: "shop" });
  const masked = {
    "response-rewrite": { filters: [{ regex: "[0-9]{12}(?=[0-9]{4})", scope: "global", replace: "****" }] },
  };
  await put("/routes/orders", {
    ...{ uri: "/orders/*", methods: ["GET", "POST"], service_id: "storefront", labels },
    ...{ plugin_config_id: "api-headers", plugins: masked },
  });
  await put("/routes/checkout", { uri: "/checkout", methods: ["POST"], service_id: "storefront", labels });
  await put("/global_rules/every-response", {
    plugins: { "response-rewrite": { headers: { set: { "X-Content-Type-Options": "nosniff" } } } },
  });
  await put("/consumers", {
    username: "warehouse",
    plugins: { "key-auth": { key: "warehouse-key-0123456789" } },
  });
  await put("/routes/export", {
    ...{ uri: "/export", service_id: "storefront" },
    plugins: { "key-auth": {}, syslog: { host: "127.0.0.1", port: 9, flush_limit: 1 } },
  });
  await put("/routes/home", { uri: "/", service_id: "storefront" });
  await put("/routes/old-catalogue", { uri: "/catalogue/*", upstream_id: "shop", status: 0 });
  await put("/routes/orders", {
    ...{
      uri: "/orders/*",
      methods: ["GET", "POST"],
      service_id: "storefront",
      labels,
      desc: "Orders of customers",
    },
    ...{ plugin_config_id: "api-headers", plugins: masked },
  });
}

/** Two forms, of which one has had visitors. */
async function fillCaptcha(harness: DashboardHarness): Promise<void> {
  const { gateway } = harness;
  await gateway.call("PUT", "/captcha/customers/shop", { desc: "Registration and checkout" });
  const settings = {
    customer: "shop",
    hostnames: ["shop.example.com", "localhost"],
    languages: ["en", "ru"],
  };
  await gateway.call("PUT", "/captcha/site-keys/sk_shop_registration", settings);
  const easy = { ...settings, challenge_mode: "never", pow_bits: 10 };
  await gateway.call("PUT", "/captcha/site-keys/sk_shop_checkout", easy);
  const { json } = await gateway.call("POST", "/captcha/api-keys", { customer: "shop" });
  const url = `http://127.0.0.1:${gateway.gateway.addresses["captcha"]?.[0]?.port}`;
  for (let n = 0; n < 8; n++) {
    const token = await tokenFrom(url, "sk_shop_checkout");
    const headers = { "X-Api-Key": String(json["secret"]) };
    for (let times = n % 4 === 0 ? 2 : 1; times > 0; times--)
      await fetch(`${url}/sk_shop_checkout/verify?jwt=${token}`, { headers });
  }
}

async function traffic(harness: DashboardHarness): Promise<void> {
  const paths = ["/orders/7", "/orders/8", "/", "/missing"];
  for (let n = 0; !over; n++) {
    await Promise.all(paths.slice(0, 1 + (n % paths.length)).map((path) => harness.traffic(path)));
    await new Promise((resolve) => setTimeout(resolve, 20 + 30 * Math.abs(Math.sin(n / 90))));
  }
}

const named = process.argv.slice(2);
const isWanted = ({ name }: Shot) => named.length === 0 || named.includes(name);
if (named.length === 0) rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const upstream = await httpUpstream((_, response) => response.end("card 4111111111111111"));
const harness = await DashboardHarness.open(
  "captcha: { listen: { ip: 127.0.0.1, port: 0 }, store: { type: memory } }\n",
);
await fill(harness, upstream.nodes);
await fillCaptcha(harness);
process.stderr.write(`traffic for ${TRAFFIC_SECONDS} s\n`);
const ended = traffic(harness);
await new Promise((resolve) => setTimeout(resolve, TRAFFIC_SECONDS * 1_000));
for (const { name, path, options = {}, isOutside, reach } of SHOTS.filter(isWanted)) {
  process.stderr.write(`${name}\n`);
  const visit = await harness.visit(`/gw/ui${path}`, options);
  const keyField = visit.page.getByLabel(/^(Admin key|Ключ администратора)/);
  if (!isOutside) {
    await visit.write(keyField, ADMIN_KEY);
    await visit.page.keyboard.press("Enter");
  }
  await reach(visit.page);
  // What comes late, of charts and fonts, is there by then.
  await visit.page.waitForTimeout(800);
  await visit.page.screenshot({ path: join(FOLDER, `${name}.png`) });
  await visit.close();
}
over = true;
await ended;
await harness.close();
upstream.close();
