import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { UPSTREAM, VIEWER_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const FROM_FILE = `
upstreams: [{ id: fixed, type: chash, hash_on: vars, key: remote_addr, nodes: { "127.0.0.1:9": 1 } }]
`;

describe.skipIf(WITHOUT_BROWSER)("a dashboard page on arrival", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(FROM_FILE);
    const plugins = { "response-rewrite": { headers: { set: { "X-A": "b" } } } };
    const route = { uri: "/orders", upstream: UPSTREAM, plugins, labels: { team: "a" } };
    await harness.gateway.call("PUT", "/routes/orders", route);
    await harness.gateway.call("PUT", "/services/store", { upstream_id: "fixed" });
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  const at = (name: string) => visit.page.getByRole("heading", { name, level: 1, exact: true });
  const focused = () =>
    visit.page.evaluate("document.activeElement.textContent || document.activeElement.ariaLabel");

  it("the window title names the page and the open resource", async () => {
    visit = await harness.visit("/gw/ui/routes/orders");
    expect(await visit.page.title()).toBe("gwc");
    await visit.signIn(VIEWER_KEY);
    const titles = {
      "/gw/ui/routes/orders": "orders · Routes · gwc",
      "/gw/ui/routes": "Routes · gwc",
      "/gw/ui/new/routes": "Add route · Routes · gwc",
      "/gw/ui/module/routes/orders": "orders · Module · Routes · gwc",
      "/gw/ui": "Overview · gwc",
      "/gw/ui/no-such-page": "gwc",
    };
    for (const [path, title] of Object.entries(titles)) {
      await visit.go(path);
      await expect.poll(() => visit.page.title()).toBe(title);
    }
  });

  it("a new page has the focus on its heading, another view of the same page does not", async () => {
    visit = await harness.signedIn("/gw/ui");
    const { page } = visit;
    await at("Overview").waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Routes" }).click();
    await expect.poll(focused).toBe("Routes");
    await page.getByRole("link", { name: "orders" }).click();
    await expect.poll(focused).toBe("orders");
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.locator(".cm-content").waitFor();
    expect(await focused()).toBe("YAML");
  });

  it("the first Tab leads to a link that skips the navigation", async () => {
    visit = await harness.signedIn("/gw/ui/routes");
    await at("Routes").waitFor();
    await visit.page.evaluate("document.activeElement.blur()");
    await visit.page.keyboard.press("Tab");
    expect(await focused()).toBe("Skip to the page");
    await visit.page.keyboard.press("Enter");
    expect(await visit.page.evaluate("document.activeElement.tagName")).toBe("MAIN");
  });

  it("the menu of a route contains links", async () => {
    visit = await harness.signedIn("/gw/ui/routes/orders");
    await visit.page.getByRole("button", { name: "More actions" }).click();
    const hrefOf = (name: string) => visit.page.getByRole("menuitem", { name }).getAttribute("href");
    expect(await hrefOf("Clone")).toBe("/gw/ui/new/routes?from=orders");
    expect(await hrefOf("Changes of it")).toBe("/gw/ui/history?kind=routes&id=orders");
  });

  it("the focus returns to the button that opened a dialog", async () => {
    visit = await harness.signedIn("/gw/ui/routes/orders");
    const { page } = visit;
    for (const name of ["Add plugin", "Edit response-rewrite"]) {
      const button = page.getByRole("button", { name, exact: true });
      await button.click();
      await page.getByRole("dialog").waitFor();
      await page.keyboard.press("Escape");
      await page.getByRole("dialog").waitFor({ state: "detached" });
      await expect.poll(() => page.evaluate("document.activeElement.ariaLabel")).toBe(name);
    }
  });

  it("a viewer can read and copy a route but change nothing", async () => {
    visit = await harness.signedIn(
      "/gw/ui/routes/orders",
      { permissions: ["clipboard-read", "clipboard-write"] },
      VIEWER_KEY,
    );
    const { page } = visit;
    await page.getByText("A viewer key changes nothing.").waitFor();
    const fields = page.locator(".rjsf input");
    await fields.first().waitFor();
    expect(await page.locator(".rjsf :is(input, textarea):disabled").count()).toBe(0);
    expect(
      await page
        .locator(".rjsf")
        .getByRole("button", { name: /^(Add|Remove)/ })
        .count(),
    ).toBe(0);
    await page.getByRole("switch", { name: "status" }).click({ force: true });
    expect(await page.getByRole("switch", { name: "status" }).isChecked()).toBe(true);
    await page.getByRole("button", { name: "Copy as YAML" }).click();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain("uri: /orders");
  });

  it("the page of a file's resource is readable and explains that the file decides", async () => {
    visit = await harness.signedIn("/gw/ui/upstreams/fixed");
    const { page } = visit;
    await page.getByText(/^The configuration file decides/).waitFor();
    const type = page.getByRole("combobox", { name: "type", exact: true });
    expect(await type.isEnabled()).toBe(true);
    expect(await type.inputValue()).toBe("chash");
    expect(await page.locator("#resource_key").getAttribute("readonly")).not.toBeNull();
  });

  it("a service page shows how many resources a save affects", async () => {
    visit = await harness.signedIn("/gw/ui/services/store");
    const { page } = visit;
    await page.locator("#resource_name").fill("the store");
    await page.getByText("Nothing names it yet", { exact: true }).waitFor();
    await harness.gateway.call("PUT", "/routes/one", { uri: "/one", service_id: "store" });
    await visit.save();
    await page.locator("#resource_name").fill("our store");
    await page.getByText("Live at once for 1 that names it").waitFor();
  });
});
