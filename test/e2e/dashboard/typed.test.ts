import type { Route } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("text that is typed into an editor", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open();
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  async function begin(id: string, plugins = {}, search = "") {
    await harness.gateway.call("PUT", `/routes/${id}`, { uri: `/${id}`, upstream: UPSTREAM, plugins });
    visit = await harness.signedIn(`/gw/ui/routes/${id}${search}`);
    return visit.page;
  }
  const stored = async (id: string) => (await harness.gateway.call("GET", `/routes/${id}`)).json["value"];
  const saving = () => visit.page.getByRole("button", { name: "Save", exact: true });

  /** Delays the response to the next write. @returns a function that releases it */
  async function held(): Promise<() => void> {
    let answer = () => {};
    const until = new Promise<void>((resolve) => {
      answer = resolve;
    });
    const isWrite = (route: Route) => /^(?:PUT|POST)$/.test(route.request().method());
    await visit.page.route(/\/gw\/admin\/routes(?:\/[\w-]+)?$/, async (route) => {
      if (isWrite(route)) await until;
      await route.continue();
    });
    return answer;
  }

  it("text that is typed during a save is retained and part of the next save", async () => {
    const page = await begin("during");
    await page.locator("#resource_name").fill("first");
    const answer = await held();
    await saving().click();
    await page.locator("#resource_name").fill("second");
    await page.locator("#resource_host").fill("shop.example.com");
    answer();
    await page.getByText(/^Live, generation/).waitFor();
    expect(await stored("during")).toMatchObject({ name: "first" });
    expect(await page.locator("#resource_name").inputValue()).toBe("second");
    await visit.save();
    expect(await stored("during")).toMatchObject({ name: "second", host: "shop.example.com" });
  });

  it("text that is typed while a new route is saved is on the route's page", async () => {
    visit = await harness.signedIn("/gw/ui/new/routes");
    const { page } = visit;
    await page.getByLabel("Id", { exact: true }).fill("made");
    await page.locator("#resource_uri").fill("/made");
    await page.getByRole("radio", { name: "An upstream" }).check();
    await page.getByRole("radio", { name: "Own nodes" }).check();
    await page.getByRole("button", { name: "Add to nodes" }).click();
    await page.keyboard.type("127.0.0.1:9");
    const answer = await held();
    await saving().click();
    await page.locator("#resource_name").fill("afterwards");
    answer();
    await page.getByRole("heading", { name: "made", level: 1 }).waitFor();
    expect(await page.locator("#resource_name").inputValue()).toBe("afterwards");
    await visit.save();
    expect(await stored("made")).toMatchObject({ uri: "/made", name: "afterwards" });
  });

  it("text that is typed after a save is retained when the save is undone", async () => {
    const page = await begin("undone");
    await page.locator("#resource_name").fill("first");
    await visit.save();
    await page.locator("#resource_host").fill("shop.example.com");
    await page.getByRole("button", { name: "Undo" }).click();
    await page
      .getByText(/^Taken back|undone|Undone/)
      .first()
      .waitFor();
    expect(await page.locator("#resource_name").inputValue()).toBe("");
    expect(await page.locator("#resource_host").inputValue()).toBe("shop.example.com");
  });

  it("plugin settings are saved with the route by Ctrl S", async () => {
    const page = await begin("drawer", { "response-rewrite": { status_code: 201 } });
    await page.getByRole("button", { name: "Edit response-rewrite" }).first().click();
    await page.getByRole("dialog").getByRole("textbox", { name: "status_code" }).fill("202");
    await page.keyboard.press("Control+s");
    await page.getByText(/^Live, generation/).waitFor();
    expect(await stored("drawer")).toMatchObject({ plugins: { "response-rewrite": { status_code: 202 } } });
    // The shortcut belongs to the page again.
    await page.locator("#resource_name").fill("named");
    await page.keyboard.press("Control+s");
    await expect.poll(() => stored("drawer")).toMatchObject({ name: "named" });
  });

  it("a JSON object has completions of the schema, diagnostics at lines, and documentation under the pointer", async () => {
    const page = await begin("object", { syslog: { host: "127.0.0.1", port: 9 } });
    await page.getByRole("button", { name: "Edit syslog" }).first().click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("tab", { name: "JSON object" }).click();
    await dialog.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('{\n  "host": "127.0.0.1",\n  "port": 9,\n  "flush_limit": -1,\n  ');
    await page.keyboard.press("Control+Space");
    await page.getByRole("option", { name: /sock_type/ }).waitFor();
    // Escape closes the completions and not the drawer.
    await page.keyboard.press("Escape");
    await page.getByRole("option").first().waitFor({ state: "detached" });
    await page.keyboard.insertText('"name": "a"\n}');
    await dialog.locator(".cm-line", { hasText: "flush_limit" }).locator(".cm-lintRange-error").waitFor();
    await dialog.locator(".cm-line", { hasText: "host" }).locator("span").first().hover();
    await page.locator(".field-facts").waitFor();
  });

  it("invalid YAML is retained in other views, which are read-only until it is dropped", async () => {
    const page = await begin("broken", {}, "?tab=yaml");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.insertText("labels: {team: ");
    await page
      .getByText(/^This is not YAML/)
      .first()
      .waitFor();
    await page.getByRole("tab", { name: "JSON" }).click();
    await page.locator(".cm-content").waitFor();
    await page.getByRole("tab", { name: "Form" }).click();
    expect(await page.locator("#resource_name").getAttribute("readonly")).not.toBeNull();
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.locator(".cm-line", { hasText: "labels: {team:" }).waitFor();
    await page.getByRole("button", { name: "Drop what was typed" }).first().click();
    await page.getByRole("tab", { name: "Form" }).click();
    await page.locator("#resource_name").fill("named");
    await visit.save();
    expect(await stored("broken")).toMatchObject({ name: "named" });
  });

  it("Ctrl Z undoes typed YAML also after another view was open", async () => {
    const page = await begin("undoing", {}, "?tab=yaml");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+Home");
    await page.keyboard.insertText("name: typed\n");
    await page.getByRole("tab", { name: "Form" }).click();
    expect(await page.locator("#resource_name").inputValue()).toBe("typed");
    await page.getByRole("tab", { name: "YAML" }).click();
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+z");
    await page.locator(".cm-line", { hasText: "name: typed" }).waitFor({ state: "detached" });
    await page.getByRole("tab", { name: "Form" }).click();
    expect(await page.locator("#resource_name").inputValue()).toBe("");
  });
});
