import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { SECTION, SITE_KEY } from "../captcha/captcha-admin.js";
import { ADMIN_KEY, UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("data that the dashboard does not lose", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(SECTION);
    await harness.gateway.call("PUT", "/captcha/customers/shop", { desc: "first" });
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  const put = (path: string, value: object) => harness.gateway.call("PUT", path, value);
  const value = async (path: string) => (await harness.gateway.call("GET", path)).json["value"];
  const name = () => visit.page.getByRole("textbox", { name: "name", exact: true }).first();
  const save = () => visit.page.getByRole("button", { name: "Save", exact: true }).click();
  const refused = (text: string | RegExp) =>
    visit.page.getByRole("alert").filter({ hasText: text }).first().waitFor();

  it("a new route with the id of an existing one is rejected and changes nothing", async () => {
    await put("/routes/taken", { uri: "/taken", name: "precious", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/new/routes?tab=json");
    const { page } = visit;
    await page.getByLabel("Id", { exact: true }).fill("taken");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(JSON.stringify({ uri: "/other", upstream: UPSTREAM }));
    // Reported before the save, too.
    await page.getByText("the resource already exists").first().waitFor();
    await save();
    await refused("the resource already exists");
    expect(await value("/routes/taken")).toMatchObject({ uri: "/taken", name: "precious" });
  });

  it("a new consumer with the name of an existing one is rejected and changes nothing", async () => {
    const plugins = { "key-auth": { key: "key-of-ada-that-stays" } };
    await put("/consumers", { username: "ada", plugins });
    visit = await harness.signedIn("/gw/ui/new/consumers");
    await visit.page.getByLabel(/^Name/).first().fill("ada");
    await save();
    await refused("the resource already exists");
    expect(await value("/consumers/ada")).toHaveProperty("plugins");
  });

  it("a new captcha customer or site key with an existing id is rejected", async () => {
    await put("/captcha/site-keys/sk_first_key", SITE_KEY);
    visit = await harness.signedIn("/gw/ui/plugin/captcha");
    const { page } = visit;
    await page.getByRole("button", { name: "Add customer" }).click();
    await page.getByRole("dialog").getByRole("textbox").first().fill("shop");
    await page
      .getByRole("dialog")
      .getByRole("button", { name: /^(Save|Add)/ })
      .click();
    await page.getByRole("dialog").getByText("the resource already exists").first().waitFor();
    expect(await value("/captcha/customers/shop")).toMatchObject({ desc: "first" });
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Add site key" }).first().click();
    await page.getByRole("dialog").getByLabel("Id", { exact: true }).fill("sk_first_key");
    await page.getByRole("dialog").getByText("the resource already exists").first().waitFor();
  });

  it("text that was typed into a route can be saved although the route was deleted meanwhile", async () => {
    await put("/routes/short", { uri: "/short", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/short");
    await name().fill("typed before");
    await harness.gateway.call("DELETE", "/routes/short");
    await save();
    await refused("Somebody has deleted it meanwhile.");
    await visit.save();
    expect(await value("/routes/short")).toMatchObject({ uri: "/short", name: "typed before" });
  });

  it("a route that another user created in place of the edited one is not overwritten but merged", async () => {
    await put("/routes/again", { uri: "/again", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/again");
    await name().fill("mine");
    await harness.gateway.call("DELETE", "/routes/again");
    await save();
    await refused("Somebody has deleted it meanwhile.");
    await put("/routes/again", { uri: "/again", name: "theirs", upstream: UPSTREAM });
    await save();
    await visit.page.getByText("Changed meanwhile").waitFor();
    expect(await value("/routes/again")).toMatchObject({ name: "theirs" });
    await visit.page.getByRole("button", { name: "Merge" }).click();
    await visit.save();
    expect(await value("/routes/again")).toMatchObject({ name: "mine" });
  });

  it("a save is reported as made if the gateway stops responding, and the next one meets no conflict", async () => {
    await put("/routes/cut-off", { uri: "/cut-off", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/cut-off");
    const { page } = visit;
    await name().fill("first");
    await page.route(/\/gw\/admin\//, (route) =>
      route.request().method() === "PUT" ? route.fallback() : route.abort(),
    );
    await save();
    await page.getByText("Made. The gateway has not answered since.").waitFor();
    expect(await page.getByText("Not saved").count()).toBe(0);
    await page.unroute(/\/gw\/admin\//);
    await name().fill("second");
    await visit.save();
    expect(await value("/routes/cut-off")).toMatchObject({ name: "second" });
  });

  it("a deletion is reported as made if the gateway stops responding", async () => {
    await put("/routes/cut-out", { uri: "/cut-out", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/cut-out");
    const { page } = visit;
    await page.getByRole("button", { name: "More actions" }).waitFor();
    await page.route(/\/gw\/admin\//, (route) =>
      route.request().method() === "DELETE" ? route.fallback() : route.abort(),
    );
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("cut-out is deleted").waitFor();
    expect(await page.getByText("Not saved").count()).toBe(0);
    expect((await harness.gateway.call("GET", "/routes/cut-out")).status).toBe(404);
  });

  it("text outlives the rejection of the key, with which the page sends almost no request any more", async () => {
    await put("/routes/kept", { uri: "/kept", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/kept");
    const { page } = visit;
    await name().waitFor();
    let asked = 0;
    await page.route(/\/gw\/admin\//, (route) => {
      asked += 1;
      return route.fulfill({ status: 401, json: { message: "wrong apikey" } });
    });
    // Typing triggers a dry run, whose response is the rejection.
    await name().fill("typed before");
    await page.getByLabel("Admin key").waitFor();
    expect(await name().isVisible()).toBe(false);
    const before = asked;
    await page.waitForTimeout(4_000);
    expect(asked - before).toBeLessThanOrEqual(1);
    await page.unroute(/\/gw\/admin\//);
    await visit.signIn(ADMIN_KEY);
    await name().waitFor();
    expect(await name().inputValue()).toBe("typed before");
    await visit.save();
    expect(await value("/routes/kept")).toMatchObject({ name: "typed before" });
  });

  it("plugin settings outlive the rejection of the key, whose prompt is above them", async () => {
    await put("/routes/plugged", { uri: "/plugged", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/plugged");
    const { page } = visit;
    await page.getByRole("button", { name: "Add plugin" }).click();
    await page.getByRole("button", { name: /^response-rewrite/ }).click();
    const body = page.getByRole("dialog").getByRole("textbox", { name: "body", exact: true });
    await body.waitFor();
    await page.route(/\/gw\/admin\//, (route) =>
      route.fulfill({ status: 401, json: { message: "wrong apikey" } }),
    );
    await body.fill("typed before");
    await page.getByLabel("Admin key").waitFor();
    await page.unroute(/\/gw\/admin\//);
    await visit.signIn(ADMIN_KEY);
    await page.getByLabel("Admin key").waitFor({ state: "detached" });
    expect(await body.inputValue()).toBe("typed before");
  });

  it("a list search for constructor:x matches nothing and leaves the other pages usable", async () => {
    visit = await harness.signedIn("/gw/ui/routes?q=constructor%3Ax");
    const { page } = visit;
    await page.getByText("Nothing here holds all these words.").waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Services" }).click();
    await page.getByRole("heading", { name: "Services", level: 1 }).waitFor();
  });
});

describe.skipIf(WITHOUT_BROWSER)("keyboard shortcuts of the dashboard", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(SECTION);
    await harness.gateway.call("PUT", "/captcha/customers/shop", {});
    await harness.gateway.call("PUT", "/routes/shop", { uri: "/shop", upstream: UPSTREAM });
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  /** Dispatches a key with its character and its position on the keyboard. */
  const press = (key: string, code: string, more: object = {}) =>
    visit.page.evaluate(
      `dispatchEvent(new KeyboardEvent("keydown", ${JSON.stringify({ key, code, bubbles: true, cancelable: true, ...more })}))`,
    );
  const at = (name: string) => visit.page.getByRole("heading", { name, level: 1 }).waitFor();
  const blur = () => visit.page.evaluate("document.activeElement.blur()");

  it("the shortcuts have the same positions on a Cyrillic keyboard", async () => {
    visit = await harness.signedIn("/gw/ui/routes");
    await at("Routes");
    await blur();
    await press("п", "KeyG");
    await press("г", "KeyU");
    await at("Upstreams");
    await press(".", "Slash");
    await press("?", "Slash", { shiftKey: true });
    await visit.page.getByRole("dialog").getByText("Find anything").waitFor();
    await visit.page.keyboard.press("Escape");
    await visit.page.getByRole("dialog").waitFor({ state: "detached" });
    await press("л", "KeyK", { ctrlKey: true });
    await visit.page.getByPlaceholder("Page, action, id, name or path").waitFor();
  });

  it("the keys g g open the global rules", async () => {
    visit = await harness.signedIn("/gw/ui/routes");
    await at("Routes");
    await blur();
    await visit.page.keyboard.press("g");
    await visit.page.keyboard.press("g");
    await at("Global rules");
  });

  it("a shortcut does not navigate while a dialog is open", async () => {
    visit = await harness.signedIn("/gw/ui/routes");
    const { page } = visit;
    await at("Routes");
    await blur();
    const visited = Number(await page.evaluate("history.length"));
    await page.keyboard.press("Shift+?");
    await page.getByRole("dialog").getByText("Find anything").waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("u");
    await page.getByRole("dialog").getByText("Find anything").waitFor();
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    // The only page that is opened: an earlier one would have its own entry.
    await page.keyboard.press("g");
    await page.keyboard.press("s");
    await at("Services");
    expect(await page.evaluate("history.length")).toBe(visited + 1);
  });
});

describe.skipIf(WITHOUT_BROWSER)("a long list", () => {
  it("a long list retains the focused row when scrolled, and Home, End and PageUp move the focus", async () => {
    const routes = Array.from({ length: 300 }, (_, n) => `  - { id: r${n}, uri: /r${n}, upstream_id: all }`);
    const nodes = 'upstreams: [{ id: all, nodes: { "127.0.0.1:9": 1 } }]';
    const harness = await DashboardHarness.open(`${nodes}\nroutes:\n${routes.join("\n")}\n`);
    const visit = await harness.signedIn("/gw/ui/routes");
    const { page } = visit;
    await page.locator("[data-row='0']").focus();
    const focused = () => page.evaluate("document.activeElement.getAttribute('data-row')");
    await page.evaluate("document.querySelector('.scroller').scrollTop = 6000");
    await page.locator("[data-row='170']").waitFor();
    expect(await focused()).toBe("0");
    await page.keyboard.press("End");
    await expect.poll(focused).toBe("299");
    await page.keyboard.press("PageUp");
    await expect.poll(focused).toBe("289");
    await page.keyboard.press("Home");
    await expect.poll(focused).toBe("0");
    await visit.close();
    await harness.close();
  });
});

describe.skipIf(WITHOUT_BROWSER)("a dashboard without an admin key", () => {
  it("a dashboard whose gateway needs no key has no sign-in", async () => {
    const harness = await DashboardHarness.open("", { admin_key_required: false });
    const visit = await harness.visit("/gw/ui/services");
    await visit.page.getByRole("heading", { name: "Services", level: 1 }).waitFor();
    await visit.close();
    await harness.close();
  });
});
