import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { SECTION, SITE_KEY } from "../captcha/captcha-admin.js";
import { ADMIN_KEY, UPSTREAM, VIEWER_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true };
const DESKTOP = { viewport: { width: 1440, height: 900 } };

/** Paths of pages with their headings. */
const PAGES: readonly (readonly [path: string, heading: string])[] = [
  ["/gw/ui", "Overview"],
  ["/gw/ui/routes", "Routes"],
  ["/gw/ui/services", "Services"],
  ["/gw/ui/upstreams", "Upstreams"],
  ["/gw/ui/plugins", "Plugins"],
  ["/gw/ui/which-route?method=GET&url=%2Fshop", "Which route?"],
  ["/gw/ui/trace", "Trace"],
  ["/gw/ui/sandbox?pattern=a", "Regex tester"],
  ["/gw/ui/history", "History"],
  ["/gw/ui/logs", "Logs"],
  ["/gw/ui/plugin/captcha", "Captcha"],
  ["/gw/ui/plugin_configs", "Plugin configurations"],
  ["/gw/ui/plugin_metadata", "Plugin metadata"],
  ["/gw/ui/global_rules", "Global rules"],
  ["/gw/ui/consumers", "Consumers"],
  ["/gw/ui/ssls", "Certificates"],
  ["/gw/ui/new/routes", "Add route"],
  ["/gw/ui/new/ssls", "Add certificate"],
  ["/gw/ui/new/plugin_metadata", "Add plugin metadata"],
  ["/gw/ui/upstreams/nodes", "nodes"],
  ["/gw/ui/module/routes/shop", "Generated module of shop"],
  ["/gw/ui/routes/shop", "shop"],
  ["/gw/ui/routes/shop?tab=yaml", "shop"],
];

async function open(): Promise<DashboardHarness> {
  const harness = await DashboardHarness.open(SECTION);
  await harness.gateway.call("PUT", "/captcha/customers/shop", {});
  await harness.gateway.call("PUT", "/captcha/site-keys/sk_shop_front", SITE_KEY);
  const logger = { uri: "http://127.0.0.1:9/", auth_header: "Bearer secret" };
  const plugins = { "response-rewrite": { headers: { set: { "X-A": "b" } } }, "http-logger": logger };
  const route = { uri: "/shop", upstream_id: "nodes", plugins, labels: { team: "a" } };
  await harness.gateway.call("PUT", "/upstreams/nodes", UPSTREAM);
  await harness.gateway.call("PUT", "/routes/shop", route);
  await harness.gateway.call("PUT", "/global_rules/all", { plugins: {} });
  await harness.gateway.call("PUT", "/consumers/jack", {
    username: "jack",
    plugins: { "key-auth": { key: "k" } },
  });
  return harness;
}

const settled = async ({ page }: Visit, heading: string) => {
  await page.getByRole("heading", { name: heading, level: 1, exact: true }).waitFor();
  await expect.poll(() => page.locator('main [aria-busy="true"]').count()).toBe(0);
  if (/\/ui\/(?:new|routes|upstreams)\/\w+$/.test(page.url()))
    await page.locator(".rjsf").first().waitFor({ state: "attached" });
  if (/tab=|module/.test(page.url())) await page.locator(".cm-content").first().waitFor();
};

/** Elements outside of the window: a table or a word that makes the whole page scroll sideways. */
const WIDER = `[...document.querySelectorAll("main *")]
  .filter((node) => document.documentElement.scrollWidth > innerWidth && node.getBoundingClientRect().right > innerWidth + 1)
  .map((node) => node.outerHTML.slice(0, 120)).slice(0, 3)`;

/** Headings of one word that are broken into several lines so that the table fits. */
const BROKEN = `[...document.querySelectorAll("aside th")].filter((cell) => {
  const range = document.createRange();
  range.selectNodeContents(cell);
  return !/\\s/.test(cell.textContent.trim()) && range.getBoundingClientRect().height > 32;
}).map((cell) => cell.textContent)`;

const DRAWN =
  "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(performance.now()))))";

const VIEWS: [string, BrowserContextOptions][] = [
  ["390 px, light", { ...PHONE, colorScheme: "light" }],
  ["390 px, dark", { ...PHONE, colorScheme: "dark" }],
  ["1440 px, dark", { ...DESKTOP, colorScheme: "dark" }],
];

describe.skipIf(WITHOUT_BROWSER)("every dashboard page", () => {
  let harness: DashboardHarness;
  beforeAll(async () => {
    harness = await open();
  });
  afterAll(() => harness?.close());

  it.each(VIEWS)(
    "every page has no violation of axe-core and nothing wider than the window at %s",
    async (_, options) => {
      const visit = await harness.signedIn("/gw/ui/not-found", options);
      await visit.page.getByRole("navigation").first().waitFor();
      const found: Record<string, string[]> = {};
      for (const [path, heading] of PAGES) {
        await visit.go(path);
        await settled(visit, heading);
        const all = [...(await axeViolationsIn(visit.page)), ...(await visit.page.evaluate<string[]>(WIDER))];
        if (all.length > 0) found[path] = all;
      }
      expect(found).toEqual({});
      await visit.close();
    },
  );

  it.each(VIEWS)(
    "a route page with a drawer, dialog or menu open has no violation of axe-core at %s",
    async (_, options) => {
      const visit = await harness.signedIn("/gw/ui/routes/shop", options);
      const { page } = visit;
      await settled(visit, "shop");
      const found: Record<string, string[]> = {};
      const look = async (what: string) => {
        const all = await axeViolationsIn(page);
        if (all.length > 0) found[what] = all;
      };
      await page.getByRole("button", { name: "Edit http-logger" }).first().click();
      const drawer = page.getByRole("dialog");
      await drawer.locator(".rjsf").waitFor();
      await look("settings");
      await drawer.getByRole("tab", { name: "JSON object" }).click();
      await drawer.locator(".cm-content").waitFor();
      await look("JSON object");
      await drawer.getByRole("button", { name: "Documentation", exact: true }).click();
      await page.getByRole("complementary").getByRole("table").first().waitFor();
      await look("documentation");
      const broken = await page.evaluate<string[]>(BROKEN);
      if (broken.length > 0) found["broken words"] = broken;
      await page.keyboard.press("Escape");
      await page.getByRole("complementary").waitFor({ state: "detached" });
      await page.keyboard.press("Escape");
      await drawer.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "Add plugin" }).click();
      await page.getByRole("button", { name: /^syslog/ }).waitFor();
      await look("choice of a plugin");
      await page.keyboard.press("Escape");
      await drawer.waitFor({ state: "detached" });
      await page.getByRole("button", { name: "More actions" }).click();
      await page.getByRole("menuitem", { name: "Delete" }).click();
      await page.getByRole("dialog").getByRole("button", { name: "Delete" }).waitFor();
      await look("question before deleting");
      expect(found).toEqual({});
      await visit.close();
    },
  );

  it("the route page of a viewer has no violation of axe-core", async () => {
    const visit = await harness.signedIn("/gw/ui/routes/shop", PHONE, VIEWER_KEY);
    await settled(visit, "shop");
    expect(await axeViolationsIn(visit.page)).toEqual([]);
    await visit.close();
  });

  it("no page shifts its layout once its content is drawn", async () => {
    const visit = await harness.visit("/gw/ui/not-found", DESKTOP);
    await visit.page.evaluate(`{
      globalThis.moved = [];
      new PerformanceObserver((list) => moved.push(...list.getEntries().map((entry) => ({
        value: entry.value,
        at: entry.startTime,
        nodes: entry.sources.map(({ node }) => (node?.outerHTML ?? node?.textContent ?? "").slice(0, 120)),
      })))).observe({ type: "layout-shift", buffered: true });
    }`);
    await visit.signIn(ADMIN_KEY);
    await visit.page.getByRole("navigation").first().waitFor();
    const found: Record<string, unknown> = {};
    // Which-route shows its result on request, and the statistics of the captcha appear with the first key.
    for (const [path, heading] of PAGES.filter(([each]) => !/which-route|captcha/.test(each))) {
      await visit.go(path);
      await settled(visit, heading);
      // Counted after the content is drawn: a skeleton that makes room for its content moves the rest.
      const drawn = await visit.page.evaluate<number>(DRAWN);
      // Time for live figures and for requests that the page sends later.
      await visit.page.waitForTimeout(600);
      // A smaller shift is one word that became wider.
      const moved = await visit.page.evaluate<unknown[]>(
        `moved.filter(({ value, at }) => value > 0.001 && at > ${drawn})`,
      );
      if (moved.length > 0) found[path] = moved;
    }
    expect(found).toEqual({});
    await visit.close();
  });
});
