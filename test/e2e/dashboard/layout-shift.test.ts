import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { SECTION } from "../captcha/captcha-admin.js";
import { ADMIN_KEY, UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const PAGES = [
  "",
  "/routes",
  "/services",
  "/upstreams",
  "/plugin_configs",
  "/plugins",
  "/plugin_metadata",
  "/global_rules",
  "/consumers",
  "/ssls",
  "/plugin/captcha",
  "/plugin/captcha?open=shop",
  "/logs",
  "/which-route",
  "/which-route?url=http%3A%2F%2Flocalhost%2Fshop",
  "/which-route?url=http%3A%2F%2Flocalhost%2Fnowhere",
  "/trace",
  "/sandbox",
  "/sandbox?pattern=a",
  "/history",
  "/routes/shop",
  "/upstreams/nodes",
  "/services/all",
  "/consumers/jack",
  "/ssls/own",
  "/new/routes",
  "/module/routes/shop",
].map((path) => `/gw/ui${path}`);

/** Largest layout shift of a page: a fifth of the score that web.dev calls good (0.1). */
const MOST = 0.02;
/** Unknown page, which requests nothing. */
const NOWHERE = "/gw/ui/no-such-page/at/all";
const WATCH = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, hadRecentInput, sources } of list.getEntries())
      if (!hadRecentInput) window.shifts.push({
        value,
        of: sources.map(({ node, previousRect: p, currentRect: c }) =>
          (node?.nodeName ?? "?") + "." + (node?.className ?? "") + " " + (node?.textContent ?? "").slice(0, 40) +
          " " + [p.x, p.y, p.width, p.height].map(Math.round) + " > " + [c.x, c.y, c.width, c.height].map(Math.round)),
      });
  }).observe({ type: "layout-shift", buffered: true });
`;

interface Shift {
  value: number;
  of: string[];
}

describe.skipIf(WITHOUT_BROWSER)("layout shifts of dashboard pages", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(SECTION);
    const put = async (path: string, value: object) => {
      const { status, text } = await harness.gateway.call("PUT", path, value);
      expect([200, 201], text).toContain(status);
    };
    await put("/upstreams/nodes", { name: "Nodes", ...UPSTREAM });
    await put("/services/all", { name: "All", upstream_id: "nodes" });
    await put("/routes/shop", {
      ...{ uri: "/shop", service_id: "all", name: "Shop" },
      plugins: { "response-rewrite": { status_code: 201 }, syslog: { host: "127.0.0.1", port: 9 } },
    });
    for (let i = 0; i < 12; i += 1) await put(`/routes/r${i}`, { uri: `/r${i}`, upstream_id: "nodes" });
    await put("/consumers/jack", { username: "jack", plugins: { "key-auth": { key: "key-of-jack" } } });
    await put("/ssls/own", { ...TEST_CERTIFICATE, snis: ["upstream.test"] });
    await put("/captcha/customers/shop", { desc: "Shop" });
    await harness.traffic("/nowhere");
    await harness.traffic("/shop");
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  it.each([
    ["a phone", 390, 844],
    ["a desk", 1_440, 900],
  ])(
    "no page shifts its layout by more than 0.02 on %s, with responses delayed by 150 ms",
    async (_name, width, height) => {
      visit = await harness.visit(NOWHERE, { viewport: { width, height } });
      const { page } = visit;
      await visit.write(page.getByLabel("Admin key"), ADMIN_KEY);
      await page.keyboard.press("Enter");
      await page.getByRole("navigation").first().waitFor();
      await page.evaluate(WATCH);
      let open = 0;
      await page.route(/\/gw\/admin\/(?!.*events)/, async (route) => {
        open += 1;
        await new Promise((resolve) => setTimeout(resolve, 150));
        await route.continue().catch(() => {});
        open -= 1;
      });
      /** Waits until nothing is requested in three looks in a row, since a response may cause a request. */
      const quiet = async (path: string) => {
        let looks = 0;
        const busy = async () => open + (await page.locator('main [aria-busy="true"]').count());
        await expect
          .poll(async () => (looks = (await busy()) === 0 ? looks + 1 : 0), { message: path })
          .toBeGreaterThan(3);
      };
      const found: Record<string, Shift[]> = {};
      for (const path of PAGES) {
        await visit.go(NOWHERE);
        await page.getByRole("heading", { name: "Not found" }).waitFor();
        await page.evaluate("window.shifts = []");
        await visit.go(path);
        await page.getByRole("heading", { level: 1 }).first().waitFor();
        await quiet(path);
        await page.evaluate(
          "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))",
        );
        const shifts = (await page.evaluate("window.shifts")) as Shift[];
        if (shifts.reduce((sum, { value }) => sum + value, 0) > MOST) found[path] = shifts;
      }
      expect(found).toEqual({});
    },
  );
});
