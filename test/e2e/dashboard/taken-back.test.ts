import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardStand, type Visit } from "./stand.js";

describe.skipIf(WITHOUT_BROWSER)("what the web interface changes, and takes back", () => {
  let stand: DashboardStand;
  let visit: Visit;
  beforeAll(async () => {
    stand = await DashboardStand.open();
  });
  afterAll(() => stand?.close());
  afterEach(() => visit.close());

  const stored = async (path: string) =>
    (await stand.gateway.call("GET", path)).json["value"] as Record<string, unknown>;
  const undo = () => visit.page.getByRole("button", { name: "Undo" }).last().click();

  it("is not taken back over what a colleague has made of it since", async () => {
    await stand.gateway.call("PUT", "/routes/shared", { uri: "/shared", upstream: UPSTREAM });
    visit = await stand.signedIn("/gw/ui/routes/shared");
    await visit.page.getByRole("textbox", { name: "uri", exact: true }).fill("/mine");
    await visit.save();
    await stand.gateway.call("PUT", "/routes/shared", { uri: "/colleague", upstream: UPSTREAM });
    await undo();
    await visit.page.getByText(/has changed since/).waitFor();
    expect((await stored("/routes/shared"))["uri"]).toBe("/colleague");
  });

  it("stands on the page of the resource when the history has taken it back", async () => {
    const at = (port: number) => ({ nodes: { [`127.0.0.1:${port}`]: 1 } });
    await stand.gateway.call("PUT", "/upstreams/moved", at(7));
    visit = await stand.signedIn("/gw/ui/upstreams/moved");
    const { page } = visit;
    const node = page.getByRole("textbox", { name: "nodes, name 1" });
    await visit.write(node, "127.0.0.1:8");
    await visit.save();
    await page.getByRole("link", { name: "History" }).click();
    await page
      .getByRole("button", { name: /^upstreams\/moved/ })
      .first()
      .click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("upstreams/moved").waitFor();
    // The gateway had it after the nodes, the editor sends it before them.
    expect(await dialog.getByText(/^[+-] id/).count()).toBe(0);
    await dialog.getByRole("button", { name: "Take it back" }).click();
    await page
      .getByText(/^takes back change \d+$/)
      .first()
      .waitFor();
    await page.goBack();
    await expect.poll(() => node.inputValue()).toBe("127.0.0.1:7");
    expect(await stored("/upstreams/moved")).toMatchObject(at(7));
  });

  it("brings back a consumer with its key, which the page never had", async () => {
    const consumer = { username: "ada", plugins: { "key-auth": { key: "ada-secret-key" } } };
    await stand.gateway.call("PUT", "/consumers", consumer);
    const route = { uri: "/members", upstream: UPSTREAM, plugins: { "key-auth": {} } };
    await stand.gateway.call("PUT", "/routes/members", route);
    const asked = async () => {
      const port = stand.gateway.port("data");
      return (await fetch(`http://127.0.0.1:${port}/members`, { headers: { apikey: "ada-secret-key" } }))
        .status;
    };
    const before = await asked();
    visit = await stand.signedIn("/gw/ui/consumers/ada");
    const { page } = visit;
    await page.getByRole("button", { name: "More actions" }).click();
    await page.getByRole("menuitem", { name: "Delete" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.getByText("ada is deleted").waitFor();
    expect(await asked()).toBe(401);
    expect(await page.content()).not.toContain("ada-secret-key");
    await undo();
    await page.getByText(/^Undone, generation/).waitFor();
    expect(await asked()).toBe(before);
  });

  it("is written into a file with all resources, where a variable stands for each secret", async () => {
    const consumer = { username: "zoe", plugins: { "key-auth": { key: "zoe-secret-key" } } };
    await stand.gateway.call("PUT", "/consumers", consumer);
    visit = await stand.signedIn("/gw/ui/history");
    const { page } = visit;
    const [download] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("button", { name: "Export configuration" }).click(),
    ]);
    expect(download.suggestedFilename()).toBe("gateway.yaml");
    const text = readFileSync(await download.path(), "utf8");
    expect(text).toMatch(/^# \d+ resources of /);
    expect(text).toContain("# set CONSUMERS_ZOE_PLUGINS_KEY_AUTH_KEY: consumers/zoe plugins.key-auth.key\n");
    expect(text).toContain(`      key: \${{CONSUMERS_ZOE_PLUGINS_KEY_AUTH_KEY}}\n`);
    expect(text).not.toContain("zoe-secret-key");
    await page.getByText(/Set these variables.*CONSUMERS_ZOE_PLUGINS_KEY_AUTH_KEY/).waitFor();
  });

  it("is a certificate's name, its key staying in the gateway", async () => {
    const { cert, key } = TEST_CERTIFICATE;
    await stand.gateway.call("PUT", "/ssls/shop", {
      cert,
      key,
      sni: "shop.test",
      labels: { team: "a", old: "b" },
    });
    visit = await stand.signedIn("/gw/ui/ssls/shop?tab=json");
    const { page } = visit;
    const text = page.locator(".cm-content");
    await text.waitFor();
    const shown = { cert, sni: "shop.example", labels: { team: "c" } };
    await text.fill(JSON.stringify(shown));
    await visit.save();
    expect(await stored("/ssls/shop")).toMatchObject({ sni: "shop.example", labels: { team: "c" } });
    expect((await stored("/ssls/shop"))["labels"]).toEqual({ team: "c" });
  });

  it("is not lost to YAML that holds itself: the page says so, and goes on", async () => {
    await stand.gateway.call("PUT", "/routes/circle", { uri: "/circle", upstream: UPSTREAM });
    visit = await stand.signedIn("/gw/ui/routes/circle?tab=yaml");
    const { page } = visit;
    const text = page.locator(".cm-content");
    await text.waitFor();
    const typeAll = async (yaml: string) => {
      await text.press("Control+a");
      await visit.paste(".cm-content", yaml);
    };
    await typeAll("uri: /circle\nupstream: &x {a: *x}\n");
    await page.getByText(/^This is not YAML/).waitFor();
    await typeAll("uri: /circle\nname: round\nupstream: {nodes: {'127.0.0.1:1': 1}}\n");
    await visit.save();
    expect((await stored("/routes/circle"))["name"]).toBe("round");
  });
});
