import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { SECTION, SITE_KEY } from "../captcha/captcha-admin.js";
import { ADMIN_KEY, UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER).each(["light", "dark"] as const)("axe-core in %s colors", (colorScheme) => {
  let harness: DashboardHarness;
  let all: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(SECTION);
    await harness.gateway.call("PUT", "/captcha/customers/shop", {});
    await harness.gateway.call("PUT", "/captcha/site-keys/sk_shop_front", SITE_KEY);
    await harness.gateway.call("POST", "/captcha/api-keys", { customer: "shop" });
    const plugins = { "response-rewrite": { headers: { set: { "X-A": "b" } } } };
    const route = { uri: "/shop", upstream: UPSTREAM, plugins, status: 0, labels: { team: "a" } };
    await harness.gateway.call("PUT", "/routes/shop", route);
    await harness.gateway.call("PUT", "/upstreams/nodes", UPSTREAM);
    await harness.gateway.call("PUT", "/global_rules/all", { plugins });
    all = await harness.signedIn("/gw/ui/not-found", { colorScheme });
    await all.page.getByRole("navigation").first().waitFor();
  });
  afterAll(async () => {
    await all?.close();
    await harness?.close();
  });

  it("the sign-in page has no violation of axe-core", async () => {
    const visit = await harness.visit("/gw/ui", { colorScheme });
    const { page } = visit;
    await page.getByLabel("Admin key").waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await visit.close();
  });

  it.each([
    ["/gw/ui", "Overview"],
    ["/gw/ui/routes", "Routes"],
    ["/gw/ui/services", "Services"],
    ["/gw/ui/upstreams", "Upstreams"],
    ["/gw/ui/plugins", "Plugins"],
    ["/gw/ui/which-route", "Which route?"],
    ["/gw/ui/trace", "Trace"],
    ["/gw/ui/sandbox?pattern=a", "Regex tester"],
    ["/gw/ui/module/routes/shop", "Generated module of shop"],
    ["/gw/ui/module/global_rules/all", "Generated module of all"],
    ["/gw/ui/history", "History"],
    ["/gw/ui/logs", "Logs"],
    ["/gw/ui/plugin/captcha", "Captcha"],
    ["/gw/ui/plugin_configs", "Plugin configurations"],
    ["/gw/ui/plugin_metadata", "Plugin metadata"],
    ["/gw/ui/global_rules", "Global rules"],
    ["/gw/ui/consumers", "Consumers"],
    ["/gw/ui/ssls", "Certificates"],
    ["/gw/ui/new/routes", "Add route"],
    ["/gw/ui/new/upstreams?tab=yaml", "Add upstream"],
    ["/gw/ui/new/services", "Add service"],
    ["/gw/ui/new/global_rules", "Add global rule"],
    ["/gw/ui/new/consumers", "Add consumer"],
    ["/gw/ui/new/ssls", "Add certificate"],
    ["/gw/ui/routes/shop", "shop"],
    ["/gw/ui/routes/shop?tab=json", "shop"],
  ])("the page %s with heading %s has no violation of axe-core", async (path, heading) => {
    const { page } = all;
    await all.go(path);
    await page.getByRole("heading", { name: heading, level: 1 }).waitFor();
    if (/tab=|module\/global/.test(path)) await page.locator(".cm-content").first().waitFor();
    else if (path.includes("module")) await page.getByText("No module of its own").waitFor();
    else if (path.endsWith("captcha")) await page.getByRole("table", { name: "Statistics" }).waitFor();
    else if (/new|shop/.test(path)) await page.locator(".rjsf").first().waitFor({ state: "attached" });
    expect(await axeViolationsIn(page)).toEqual([]);
  });

  it("a change of the history, the palette and the key list have no violation of axe-core", async () => {
    const visit = await harness.signedIn("/gw/ui/history", { colorScheme });
    const { page } = visit;
    await page.getByRole("button", { name: /shop/ }).first().click();
    await page.getByRole("dialog").getByText("/shop").first().waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("Control+K");
    await page.getByRole("dialog").getByText("Overview").waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.keyboard.press("?");
    await page.getByRole("dialog").waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await visit.close();
  });

  it("the regex tester, its rejection and marked module lines have no violation of axe-core", async () => {
    const visit = await harness.signedIn("/gw/ui/sandbox?pattern=%28a%29", { colorScheme });
    const { page } = visit;
    await page.getByRole("textbox", { name: "Body", exact: true }).click();
    await page.keyboard.type("banana");
    await page.getByRole("heading", { name: "3 matches" }).waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await page.getByRole("textbox", { name: "Pattern" }).fill("(a+)+\\1(");
    await page.getByRole("alert").filter({ hasText: "GW4501" }).waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await page.goto(`${harness.origin}/gw/ui/module/global_rules/all`);
    await visit.signIn(ADMIN_KEY);
    await page.locator(".cm-line").filter({ hasText: "export default" }).hover();
    await page.locator(".cm-line.joined").first().waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await visit.close();
  });

  it("neither a menu nor the message of a failed save has a violation of axe-core", async () => {
    const visit = await harness.signedIn("/gw/ui/routes/shop", { colorScheme });
    const { page } = visit;
    for (const menu of ["Session, theme and language", "More actions"]) {
      await page.getByRole("button", { name: menu }).click();
      await page.getByRole("menu").waitFor();
      expect(await axeViolationsIn(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await page.getByRole("menu").waitFor({ state: "detached" });
    }
    await page.getByRole("textbox", { name: "name", exact: true }).first().fill("not saved");
    await page.route(/admin\/routes\/shop$/, (route) => route.abort("connectionrefused"));
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Not saved").waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await visit.close();
  });

  it("the choice of a plugin, its form and a rejected save have no violation of axe-core", async () => {
    const visit = await harness.signedIn("/gw/ui/new/routes", { colorScheme });
    const { page } = visit;
    await page.getByRole("button", { name: "Add plugin" }).click();
    await page.getByRole("button", { name: /^syslog/ }).waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await page.getByRole("button", { name: /^syslog/ }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "host", exact: true }).waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await page.getByRole("button", { name: "Use these settings" }).click();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Refused, nothing has changed").waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await visit.close();
  });
});
