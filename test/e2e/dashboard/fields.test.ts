import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const LINES = "<p>\n  first\n</p>\n";

describe.skipIf(WITHOUT_BROWSER)("form fields of the dashboard", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open();
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  /** Opens the settings of a plugin on a route's page. */
  async function opened(id: string, name: string, settings: Record<string, unknown>) {
    const route = { uri: `/${id}`, upstream: UPSTREAM, plugins: { [name]: settings } };
    expect((await harness.gateway.call("PUT", `/routes/${id}`, route)).status).toBeLessThan(300);
    visit = await harness.signedIn(`/gw/ui/routes/${id}`);
    await visit.page
      .getByRole("button", { name: `Edit ${name}` })
      .first()
      .click();
    return visit.page.getByRole("dialog");
  }
  async function taken(id: string, name: string) {
    await visit.page.getByRole("dialog").getByRole("button", { name: "Use these settings" }).click();
    await visit.save();
    const { json } = await harness.gateway.call("GET", `/routes/${id}`);
    return (json["value"] as { plugins: Record<string, unknown> }).plugins[name];
  }
  const focused = (attribute: string) =>
    visit.page.evaluate(`document.activeElement.getAttribute("${attribute}")`);

  it("a text field retains the line endings of its value when text is typed", async () => {
    const crlf = LINES.replaceAll("\n", "\r\n");
    const dialog = await opened("lines", "response-rewrite", { body: crlf });
    const body = dialog.getByRole("textbox", { name: "body", exact: true });
    expect(await body.inputValue()).toBe(LINES);
    await body.press("Control+End");
    await visit.page.keyboard.type("<!-- last -->");
    await visit.page.keyboard.press("Enter");
    expect(await taken("lines", "response-rewrite")).toEqual({ body: `${crlf}<!-- last -->\r\n` });
  });

  it("a list opens at the chosen option by arrow key and names it to a screen reader the first time", async () => {
    const upstream = { ...UPSTREAM, type: "least_conn" };
    await harness.gateway.call("PUT", "/routes/chosen", { uri: "/chosen", upstream });
    visit = await harness.signedIn("/gw/ui/routes/chosen");
    const { page } = visit;
    const field = page.locator("#resource_upstream_type");
    await field.waitFor();
    const lists = page.getByRole("listbox", { includeHidden: true });
    await expect.poll(() => lists.count()).toBeGreaterThan(1);
    await field.focus();
    await page.keyboard.press("ArrowDown");
    const told = () =>
      page.evaluate(`(() => {
        const named = (name) => document.getElementById(document.activeElement.getAttribute(name));
        const option = named("aria-activedescendant");
        return {
          expanded: document.activeElement.ariaExpanded,
          role: named("aria-controls")?.getAttribute("role"),
          option: option?.textContent,
          isMarked: option?.hasAttribute("data-combobox-selected"),
        };
      })()`);
    const opened = { expanded: "true", role: "listbox", isMarked: true };
    await expect.poll(told).toEqual({ ...opened, option: "least_conn" });
    await page.keyboard.press("ArrowUp");
    await expect.poll(told).toMatchObject({ ...opened, option: expect.not.stringMatching("least_conn") });
    const { option } = (await told()) as { option: string };
    await page.keyboard.press("Enter");
    expect(await field.inputValue()).toBe(option);
    expect(await field.getAttribute("aria-expanded")).toBe("false");
  });

  it("a single-line field becomes a text area when several lines are pasted", async () => {
    await harness.gateway.call("PUT", "/routes/pasted", { uri: "/pasted", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/pasted");
    const { page } = visit;
    const folds = page.getByText(/^\d+ more fields$/);
    await folds.first().waitFor();
    await folds.last().click();
    await page.locator("#resource_desc").fill("Before. ");
    await visit.paste("#resource_desc", "one\ntwo");
    await page.keyboard.type("!");
    expect(await page.locator("textarea#resource_desc").inputValue()).toBe("Before. one\ntwo!");
    await visit.save();
    const { json } = await harness.gateway.call("GET", "/routes/pasted");
    expect(json).toMatchObject({ value: { desc: "Before. one\ntwo!" } });
  });

  it('a secret field hides its text until "Show it", and browsers do not fill it', async () => {
    const dialog = await opened("typed", "http-logger", { uri: "http://127.0.0.1:9/" });
    const secret = dialog.getByLabel("auth_header", { exact: true });
    await secret.fill("Bearer one");
    expect(await secret.getAttribute("type")).toBe("password");
    expect(await secret.getAttribute("autocomplete")).toBe("new-password");
    await dialog.getByRole("button", { name: "Show it" }).first().click();
    expect(await secret.getAttribute("type")).toBe("text");
  });

  it("a masked secret is retained by other changes and can be removed", async () => {
    const settings = { uri: "http://127.0.0.1:9/", auth_header: "Bearer first" };
    const dialog = await opened("masked", "http-logger", settings);
    const secret = dialog.getByLabel("auth_header", { exact: true });
    expect(await secret.inputValue()).toBe("");
    await dialog.getByText(/The gateway has it and does not show it/).waitFor();
    // Typed and deleted again: the mask is back as a whole.
    await secret.pressSequentially("x");
    await secret.press("Backspace");
    await dialog.getByRole("textbox", { name: "name", exact: true }).fill("ships");
    expect(await taken("masked", "http-logger")).toMatchObject({
      auth_header: expect.stringMatching(/^\*{3}/),
    });
    await visit.page.getByRole("button", { name: "Edit http-logger" }).first().click();
    await dialog.getByRole("button", { name: "Remove the secret" }).click();
    expect(await taken("masked", "http-logger")).not.toHaveProperty("auth_header");
  });

  it("a key of several lines is hidden and retains its lines", async () => {
    visit = await harness.signedIn("/gw/ui/new/ssls");
    const { page } = visit;
    const key = page.locator("textarea#resource_key");
    await key.fill("-----BEGIN PRIVATE KEY-----\nabc");
    expect(
      await page.evaluate("getComputedStyle(document.getElementById('resource_key')).webkitTextSecurity"),
    ).toBe("disc");
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.getByText(String.raw`-----BEGIN PRIVATE KEY-----\nabc`).waitFor();
  });

  it("an added row receives the focus, and after a removal the next row has it", async () => {
    const dialog = await opened("rows", "response-rewrite", { headers: { set: { "X-A": "1", "X-B": "2" } } });
    const { keyboard } = visit.page;
    await dialog.getByRole("button", { name: "Add to set" }).click();
    expect(await focused("aria-label")).toBe("set, name 3");
    await keyboard.type("X-C");
    await dialog.getByRole("button", { name: "Remove X-A" }).click();
    expect(await focused("aria-label")).toBe("Remove X-B");
    await keyboard.press("Enter");
    expect(await focused("aria-label")).toBe("Remove X-C");
    await keyboard.press("Enter");
    expect(await visit.page.evaluate("document.activeElement.textContent")).toBe("Add to set");
    await dialog.getByRole("button", { name: "Add to filters" }).click();
    expect(await focused("id")).toBe("plugin-response-rewrite_filters_0_regex");
  });

  it("a number field rejects an incomplete number, and an emptied one removes the field", async () => {
    const dialog = await opened("numbers", "syslog", { host: "127.0.0.1", port: 9, flush_limit: 10 });
    const limit = dialog.getByRole("textbox", { name: "flush_limit" });
    await limit.fill("");
    await dialog.getByRole("textbox", { name: "host", exact: true }).fill("127.0.0.2");
    expect(await taken("numbers", "syslog")).toEqual({ host: "127.0.0.2", port: 9 });
    await visit.page
      .getByText(/^\d+ more fields$/)
      .last()
      .waitFor();
    await visit.page.locator("#resource_priority").fill("-");
    await visit.page.getByText("This is no number yet.").first().waitFor();
    expect(await visit.page.getByRole("button", { name: "Save", exact: true }).isDisabled()).toBe(true);
    await visit.page.locator("#resource_priority").fill("-5");
    await visit.save();
    const { json } = await harness.gateway.call("GET", "/routes/numbers");
    expect(json).toMatchObject({ value: { priority: -5 } });
  });

  it("emptied fields are absent in JSON, and fields that are removed in JSON are absent after a save", async () => {
    await harness.gateway.call("PUT", "/routes/emptied", {
      ...{ uri: "/emptied", name: "old", labels: { team: "a" }, methods: ["GET"] },
      upstream: UPSTREAM,
    });
    visit = await harness.signedIn("/gw/ui/routes/emptied");
    const { page } = visit;
    const name = page.locator("#resource_name");
    await name.fill("");
    await page.getByRole("button", { name: "Remove team" }).click();
    await page.getByRole("tab", { name: "JSON" }).click();
    const text = page.locator(".cm-content");
    const shown = () =>
      text.evaluate((node) => JSON.parse((node as unknown as { innerText: string }).innerText) as object);
    expect(await shown()).toEqual({ id: "emptied", uri: "/emptied", methods: ["GET"], upstream: UPSTREAM });
    await text.click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(JSON.stringify({ uri: "/emptied", upstream: UPSTREAM, name: "new" }));
    await page.getByRole("tab", { name: "Form" }).click();
    expect(await name.inputValue()).toBe("new");
    await visit.save();
    const { json } = await harness.gateway.call("GET", "/routes/emptied");
    expect(
      Object.keys(json["value"] as object)
        .filter((each) => !each.endsWith("_time"))
        .sort(),
    ).toEqual(["id", "name", "upstream", "uri"]);
  });

  it("the form of plugin metadata has the plugin's fields, that of a consumer only those of its credentials", async () => {
    visit = await harness.signedIn("/gw/ui/new/plugin_metadata");
    const { page } = visit;
    await page.getByRole("combobox", { name: /^Id/ }).fill("sysl");
    await page.getByRole("option", { name: "syslog" }).click();
    await page.locator("#resource_max_pending_entries").fill("100");
    await visit.save();
    const { json } = await harness.gateway.call("GET", "/plugin_metadata/syslog");
    expect(json).toMatchObject({ value: { max_pending_entries: 100 } });
    await visit.go("/gw/ui/new/consumers");
    await page.getByRole("textbox", { name: /^Name/ }).fill("jack");
    await page.getByRole("button", { name: "Add plugin" }).click();
    await page.getByRole("button", { name: /^key-auth/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByLabel(/^key/).first().fill("the-key-of-jack");
    expect(await dialog.getByText("hide_credentials").count()).toBe(0);
    await dialog.getByRole("button", { name: "Use these settings" }).click();
    await visit.save();
    const stored = await harness.gateway.call("GET", "/consumers/jack");
    expect(stored.json).toMatchObject({
      value: { plugins: { "key-auth": { key: expect.stringMatching(/^\*/) } } },
    });
  });
});
