import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("form input that cannot be parsed", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open();
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  async function begin(id: string, plugins = {}) {
    await harness.gateway.call("PUT", `/routes/${id}`, { uri: `/${id}`, upstream: UPSTREAM, plugins });
    visit = await harness.signedIn(`/gw/ui/routes/${id}`);
    return visit.page;
  }
  const stored = async (id: string) => (await harness.gateway.call("GET", `/routes/${id}`)).json["value"];

  it("invalid input blocks Save, is reported with an example, and is retained in other views", async () => {
    const page = await begin("guarded");
    const vars = page.getByRole("textbox", { name: /^vars/ });
    await vars.fill("arg_q == 1");
    const save = page.getByRole("button", { name: "Save", exact: true });
    const told = page.getByRole("tabpanel").getByRole("alert").filter({ hasText: "vars cannot be read" });
    await told.getByText(/This is not JSON: .*For example: \[\[/).waitFor();
    expect(await save.isDisabled()).toBe(true);
    expect(await save.getAttribute("title")).toContain("vars");
    await page.keyboard.press("Control+s");
    // In another view and back, the text is retained.
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.locator(".cm-content").waitFor();
    expect(await save.isDisabled()).toBe(true);
    await page.getByRole("tab", { name: "Form" }).click();
    expect(await vars.inputValue()).toBe("arg_q == 1");
    expect(await stored("guarded")).not.toHaveProperty("vars");
    await vars.fill('[["arg_q", "==", "1"]]');
    await told.waitFor({ state: "detached" });
    await visit.save();
    expect(await stored("guarded")).toMatchObject({ vars: [["arg_q", "==", "1"]] });
  });

  it("invalid input can be dropped", async () => {
    const page = await begin("given-up");
    await page.getByRole("textbox", { name: /^vars/ }).fill("nonsense");
    await page.getByRole("button", { name: "Drop what was typed" }).click();
    expect(await page.getByRole("textbox", { name: /^vars/ }).inputValue()).toBe("");
    await page.getByRole("textbox", { name: "name", exact: true }).first().fill("named");
    await visit.save();
    expect(await stored("given-up")).toMatchObject({ name: "named" });
  });

  it("invalid input blocks the settings of a plugin", async () => {
    const page = await begin("plugged", { "response-rewrite": { status_code: 201 } });
    await page.getByRole("button", { name: "Edit response-rewrite" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: /^vars/ }).fill("status == 200");
    await dialog.getByRole("alert").getByText("vars cannot be read").waitFor();
    expect(await dialog.getByRole("button", { name: "Use these settings" }).isDisabled()).toBe(true);
  });

  it("headers are rows of a name, which is required, and a value, which may be empty", async () => {
    const page = await begin("headers", { "response-rewrite": { status_code: 201 } });
    await page.getByRole("button", { name: "Edit response-rewrite" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("headers", { exact: true }).click();
    await dialog.getByRole("button", { name: "Add to set" }).click();
    await dialog.getByRole("textbox", { name: "Value of" }).fill("shop");
    await dialog.getByRole("alert").getByText("headers.set cannot be read").waitFor();
    await dialog.getByRole("textbox", { name: "set, name 1" }).fill("X-Team");
    await dialog.getByRole("button", { name: "Add to set" }).click();
    await dialog.getByRole("textbox", { name: "set, name 2" }).fill("X-Gone");
    await dialog.getByRole("button", { name: "Use these settings" }).click();
    await visit.save();
    expect(await stored("headers")).toMatchObject({
      plugins: { "response-rewrite": { headers: { set: { "X-Team": "shop", "X-Gone": "" } } } },
    });
  });

  it("a log format is entered as rows of names and text values", async () => {
    const page = await begin("logged", { syslog: { host: "127.0.0.1", port: 9 } });
    await page.getByRole("button", { name: "Edit syslog" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("button", { name: "Add to log_format", exact: true }).click();
    await dialog.getByRole("textbox", { name: "log_format, name 1" }).fill("client");
    await dialog.getByRole("textbox", { name: "Value of client" }).fill("$remote_addr");
    await dialog.getByRole("button", { name: "Use these settings" }).click();
    await visit.save();
    expect(await stored("logged")).toMatchObject({
      plugins: { syslog: { log_format: { client: "$remote_addr" } } },
    });
  });

  it("a YAML comment is retained until Save while the form changes other fields", async () => {
    const page = await begin("commented");
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await visit.paste(
      ".cm-content",
      '# why it is here\nuri: /commented # its address\nupstream:\n  nodes: { "127.0.0.1:9": 1 }\n',
    );
    await page.getByText("Comments stay until you save").waitFor();
    await page.getByRole("tab", { name: "Form" }).click();
    await page.getByRole("textbox", { name: "name", exact: true }).fill("shop");
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.locator(".cm-line", { hasText: "name: shop" }).waitFor();
    const shown = await page.locator(".cm-content").innerText();
    expect(shown).toContain("# why it is here\nuri: /commented # its address");
    await visit.save();
    expect(await stored("commented")).toMatchObject({ uri: "/commented", name: "shop" });
  });
});
