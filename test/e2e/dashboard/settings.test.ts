import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { SECTION, SITE_KEY } from "../captcha/captcha-admin.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("settings of resources and plugins", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(SECTION);
    await harness.gateway.call("PUT", "/upstreams/shared", UPSTREAM);
    await harness.gateway.call("PUT", "/services/common", { upstream_id: "shared" });
    await harness.gateway.call("PUT", "/plugin_configs/headers", { plugins: {} });
    await harness.gateway.call("PUT", "/captcha/customers/shop", {});
    await harness.gateway.call("PUT", "/captcha/site-keys/sk_shop_front", SITE_KEY);
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  async function begin(id: string, plugins = {}) {
    await harness.gateway.call("PUT", `/routes/${id}`, { uri: `/${id}`, upstream: UPSTREAM, plugins });
    visit = await harness.signedIn(`/gw/ui/routes/${id}`);
    return visit.page;
  }
  const pick = async (name: string) => {
    await visit.page.getByRole("button", { name: "Add plugin" }).click();
    await visit.page.getByLabel("Search plugins").fill(name);
  };

  it("a reference field offers existing resources and accepts any other text", async () => {
    const page = await begin("naming");
    const config = page.getByRole("combobox", { name: "plugin_config_id" });
    await config.click();
    await page.getByRole("option", { name: "headers" }).click();
    await page.getByRole("combobox", { name: "service_id" }).fill("comm");
    await page.getByRole("option", { name: "common" }).click();
    await visit.save();
    const { json } = await harness.gateway.call("GET", "/routes/naming");
    expect(json["value"]).toMatchObject({ plugin_config_id: "headers", service_id: "common" });
    await config.fill("not-there-yet");
    await page
      .getByText(/not-there-yet/)
      .first()
      .waitFor();
    await pick("captcha");
    await page.getByRole("button", { name: /^captcha/ }).click();
    const key = page.getByRole("dialog").getByRole("combobox", { name: "site_key" });
    await key.click();
    await page.getByRole("option", { name: "sk_shop_front" }).click();
    expect(await key.inputValue()).toBe("sk_shop_front");
  });

  it("a Tab through a choice does not open its list", async () => {
    const page = await begin("passed");
    await page.getByRole("textbox", { name: "host", exact: true }).focus();
    await page.keyboard.press("Tab");
    expect(await page.evaluate("document.activeElement.getAttribute('role')")).toBe("combobox");
    expect(await page.getByRole("option").count()).toBe(0);
  });

  it("a diagnostic names its field, is also below the field, and leads to it", async () => {
    const page = await begin("led");
    await page.getByRole("textbox", { name: "uri", exact: true }).fill("no-slash");
    const finding = page.getByRole("alert").filter({ hasText: /GW\d{4} · uri/ });
    await finding.waitFor();
    await page.locator(".rjsf").getByText(`"uri" must be a path that starts with '/'`).waitFor();
    await page.getByRole("tab", { name: "YAML" }).click();
    await finding.getByRole("button", { name: "Go to the field" }).click();
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe("resource_uri");
  });

  it("plugin settings show diagnostics before they are used, and a later diagnostic leads into them", async () => {
    const filters = [{ regex: "a", replace: "b" }];
    const page = await begin("broken", { "response-rewrite": { filters } });
    await page.getByRole("button", { name: "Edit response-rewrite" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "regex" }).fill("a(");
    await dialog.getByRole("alert").filter({ hasText: "filters.0.regex" }).waitFor();
    await dialog.getByRole("button", { name: "Use these settings" }).click();
    await dialog.waitFor({ state: "detached" });
    const finding = page.getByRole("alert").filter({ hasText: "plugins.response-rewrite.filters.0.regex" });
    await finding.getByRole("button", { name: "Go to the field" }).click();
    const regex = "plugin-response-rewrite_filters_0_regex";
    await expect.poll(() => page.evaluate("document.activeElement.id")).toBe(regex);
  });

  it("a regular expression can be tried below its field, without another browser tab", async () => {
    const filters = [{ regex: "b+", replace: "x", scope: "global" }];
    const page = await begin("tried", { "response-rewrite": { filters } });
    await page.getByRole("button", { name: "Edit response-rewrite" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Try it" }).click();
    await dialog.getByRole("textbox", { name: "Text to try it on" }).click();
    await page.keyboard.insertText("abba");
    await dialog.getByText("1 match", { exact: true }).waitFor();
    await dialog.getByRole("textbox", { name: "regex" }).fill("b");
    await dialog.getByText("2 matches", { exact: true }).waitFor();
    expect(page.context().pages()).toHaveLength(1);
    expect(await axeViolationsIn(page)).toEqual([]);
  });

  it("a filter is tried with its own scope, by default on the first match", async () => {
    const filters = [{ regex: "\\d{4} (\\d{4})", replace: "**** $1" }];
    const page = await begin("masked", { "response-rewrite": { filters } });
    await page.getByRole("button", { name: "Edit response-rewrite" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Try it" }).click();
    await dialog.getByRole("textbox", { name: "Text to try it on" }).click();
    await page.keyboard.insertText("1111 2222 and 3333 4444");
    const replaced = dialog.getByLabel("New body");
    await expect.poll(() => replaced.inputValue()).toBe("**** 2222 and 3333 4444");
    await dialog.getByRole("combobox", { name: "scope" }).click();
    await page.getByRole("option", { name: "global" }).click();
    await expect.poll(() => replaced.inputValue()).toBe("**** 2222 and **** 4444");
  });

  it("the vars field of a route has an example of a condition", async () => {
    const page = await begin("conditioned");
    const vars = page.getByRole("textbox", { name: "vars" });
    expect(await vars.getAttribute("placeholder")).toBe('[["arg_version","==","2"]]');
  });

  it("the choice of a plugin shows all costs in one column", async () => {
    await begin("in-column");
    await pick("");
    const costs = visit.page.getByRole("dialog").getByText(/priority \d+$/);
    const boxes = await Promise.all((await costs.all()).map((cost) => cost.boundingBox()));
    expect(boxes.length).toBeGreaterThan(3);
    expect([...new Set(boxes.map((box) => Math.round(box?.x ?? 0)))]).toHaveLength(1);
  });

  it("plugin settings that opened by Enter remain open at a second Enter", async () => {
    const page = await begin("entered");
    await pick("kafka");
    await page.keyboard.press("Enter");
    const dialog = page.getByRole("dialog", { name: "Settings of broker-logger" });
    await dialog.getByRole("button", { name: "Add to brokers" }).waitFor();
    await expect.poll(() => dialog.locator(":focus").count()).toBe(1);
    await page.keyboard.press("Enter");
    await page.keyboard.press("Tab");
    expect(await dialog.locator(":focus").innerText()).toBe("Documentation");
  });

  it("a form field does not move at the first key", async () => {
    const page = await begin("unmoved");
    const uri = page.getByRole("textbox", { name: "uri", exact: true });
    await page.getByRole("textbox", { name: "Why" }).waitFor();
    const before = await uri.boundingBox();
    await uri.press("End");
    await page.keyboard.type("x");
    await expect.poll(() => page.getByRole("button", { name: "Save", exact: true }).isEnabled()).toBe(true);
    expect((await uri.boundingBox())?.y).toBe(before?.y);
  });

  it("changed plugin settings are dropped by Escape or Cancel only after a question", async () => {
    const page = await begin("kept", { "response-rewrite": { status_code: 201 } });
    await page.getByRole("button", { name: "Edit response-rewrite" }).first().click();
    const dialog = page.getByRole("dialog", { name: "Settings of response-rewrite" });
    const status = dialog.getByRole("textbox", { name: "status_code" });
    await status.fill("202");
    await page.keyboard.press("Escape");
    const question = page.getByRole("dialog", { name: /^Drop what was changed/ });
    await question.getByRole("button", { name: "Go on editing" }).click();
    await question.waitFor({ state: "detached" });
    expect(await status.inputValue()).toBe("202");
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await question.getByRole("button", { name: "Drop the changes" }).click();
    await dialog.waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Edit response-rewrite" }).first().click();
    expect(await status.inputValue()).toBe("201");
    await page.keyboard.press("Escape");
    await dialog.waitFor({ state: "detached" });
  });

  it("a page with unsaved changes asks before it is left: stay, or save and leave", async () => {
    const page = await begin("left");
    const name = page.getByRole("textbox", { name: "name", exact: true }).first();
    await name.fill("typed");
    const away = () => page.getByRole("navigation").getByRole("link", { name: "Logs" }).click();
    await away();
    const question = page.getByRole("dialog", { name: /^Leave without saving/ });
    await question.getByRole("button", { name: "Stay" }).click();
    await question.waitFor({ state: "detached" });
    expect(await name.inputValue()).toBe("typed");
    await away();
    await question.getByRole("button", { name: "Save and leave" }).click();
    await page.getByRole("heading", { name: "Logs", level: 1 }).waitFor();
    const { json } = await harness.gateway.call("GET", "/routes/left");
    expect(json["value"]).toMatchObject({ name: "typed" });
  });

  it("a plugin search finds plugins by purpose: mask, card, kafka, protect, bot", async () => {
    const page = await begin("wanted");
    await page.getByRole("button", { name: "Add plugin" }).click();
    const search = page.getByLabel("Search plugins");
    const wanted = { mask: "response-rewrite", card: "response-rewrite", kafka: "broker-logger" };
    for (const [word, plugin] of Object.entries({ ...wanted, protect: "key-auth", bot: "captcha" })) {
      await search.fill(word);
      await page.getByRole("button", { name: new RegExp(`^${plugin}`) }).waitFor();
    }
    await search.fill("маск");
    await page.getByRole("button", { name: /^response-rewrite/ }).waitFor();
    await search.fill("zeppelin");
    await page.getByText(/^No plugin fits these words/).waitFor();
  });

  it("a field with the values on and off is a switch", async () => {
    const page = await begin("switched");
    const status = page.getByRole("switch", { name: "status" });
    expect(await status.isChecked()).toBe(true);
    await status.click({ force: true });
    await visit.save();
    const { json } = await harness.gateway.call("GET", "/routes/switched");
    expect(json["value"]).toMatchObject({ status: 0 });
  });

  it("the plugin line of a route shows no secret", async () => {
    const page = await begin("secret");
    await pick("captcha");
    await page.getByRole("button", { name: /^captcha/ }).click();
    const dialog = page.getByRole("dialog", { name: "Settings of captcha" });
    await dialog.getByRole("combobox", { name: "site_key" }).fill("sk_shop_front");
    await dialog.locator("input[type=password]").fill("nobody-may-see-it");
    await dialog.getByRole("button", { name: "Use these settings" }).click();
    await dialog.waitFor({ state: "detached" });
    const section = page.getByRole("region", { name: "Plugins" });
    await section.getByText('{"site_key":"sk_shop_front","api_key":"•••"}').waitFor();
    expect(await section.textContent()).not.toContain("nobody-may-see-it");
  });

  it("the buttons of long plugin settings remain visible", async () => {
    const page = await begin("footed");
    await pick("broker-logger");
    await page.getByRole("button", { name: /^broker-logger/ }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Add to brokers" }).waitFor();
    const box = await page.getByRole("button", { name: "Use these settings" }).boundingBox();
    expect(box?.y).toBeLessThan(900);
  });
});
