import { readFileSync } from "node:fs";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { TEST_CERTIFICATE } from "../../support/certificate.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("changes on the dashboard and their undo", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open();
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  const stored = async (path: string) =>
    (await harness.gateway.call("GET", path)).json["value"] as Record<string, unknown>;
  const undo = () => visit.page.getByRole("button", { name: "Undo" }).last().click();

  it("Undo does not overwrite a later change of another user", async () => {
    await harness.gateway.call("PUT", "/routes/shared", { uri: "/shared", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/shared");
    await visit.page.getByRole("textbox", { name: "uri", exact: true }).fill("/mine");
    await visit.save();
    await harness.gateway.call("PUT", "/routes/shared", { uri: "/colleague", upstream: UPSTREAM });
    await undo();
    await visit.page.getByText(/has changed since/).waitFor();
    expect((await stored("/routes/shared"))["uri"]).toBe("/colleague");
  });

  it("a change that the history took back is shown on the page of the resource", async () => {
    const at = (port: number) => ({ nodes: { [`127.0.0.1:${port}`]: 1 } });
    await harness.gateway.call("PUT", "/upstreams/moved", at(7));
    visit = await harness.signedIn("/gw/ui/upstreams/moved");
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
    // The gateway stores the id after the nodes, and the editor sends it before them.
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

  const openChange = async (number: number, name: string) => {
    visit = await harness.signedIn("/gw/ui/history");
    await visit.page.getByRole("button", { name: `${name}, change ${number}` }).click();
    return visit.page.getByRole("dialog");
  };
  const newest = async () => {
    const { json } = await harness.gateway.call("GET", "/history?limit=1");
    return (json["list"] as { number: number }[])[0]?.number ?? 0;
  };

  it("a revert retains later changes of other fields and is previewed against the current version", async () => {
    await harness.gateway.call("PUT", "/routes/old", { uri: "/old", name: "good", upstream: UPSTREAM });
    await harness.gateway.call("PATCH", "/routes/old", { name: "mistake" });
    const number = await newest();
    await harness.gateway.call("PATCH", "/routes/old", { desc: "of a colleague" });
    const dialog = await openChange(number, "routes/old");
    await dialog.getByText(/^It has changed since. Later changes of other fields stay/).waitFor();
    const outcome = dialog.getByRole("group", { name: "Changes" }).last();
    await outcome.getByText("+ name: good").waitFor();
    await outcome.getByText("desc: of a colleague").waitFor();
    expect(await outcome.getByText(/^[+-] desc/).count()).toBe(0);
    expect(await axeViolationsIn(visit.page)).toEqual([]);
    await dialog.getByRole("textbox", { name: "Why" }).fill("not meant");
    await dialog.getByRole("button", { name: "Take it back" }).click();
    await visit.page.getByText(`takes back change ${number}`).waitFor();
    await visit.page.getByRole("cell", { name: "not meant" }).waitFor();
    expect(await stored("/routes/old")).toMatchObject({ name: "good", desc: "of a colleague" });
  });

  it("fields with later changes are listed, and only a separate button puts them back", async () => {
    await harness.gateway.call("PUT", "/routes/both", { uri: "/a", upstream: UPSTREAM });
    await harness.gateway.call("PATCH", "/routes/both", { uri: "/b" });
    const number = await newest();
    await harness.gateway.call("PATCH", "/routes/both", { uri: "/c", name: "later" });
    const dialog = await openChange(number, "routes/both");
    const row = dialog.getByRole("row").filter({ has: visit.page.getByRole("rowheader", { name: "uri" }) });
    await row.waitFor();
    expect(await row.getByRole("cell").allTextContents()).toEqual(['"/a"', '"/b"', '"/c"']);
    expect(await dialog.getByRole("button", { name: "Take it back" }).count()).toBe(0);
    // A version that the page has not shown is not overwritten.
    await harness.gateway.call("PATCH", "/routes/both", { uri: "/d" });
    await dialog.getByRole("button", { name: "Put back over later changes" }).click();
    await dialog.getByText("Refused, nothing has changed").waitFor();
    await row.getByText('"/d"').waitFor();
    expect((await stored("/routes/both"))["uri"]).toBe("/d");
    await dialog.getByRole("button", { name: "Put back over later changes" }).click();
    await visit.page.getByText(`takes back change ${number}`).waitFor();
    expect(await stored("/routes/both")).toMatchObject({ uri: "/a", name: "later" });
    await visit.page.getByRole("button", { name: `routes/both, change ${number}` }).click();
    await dialog.getByText(/nothing of this change is left/).waitFor();
    expect(await dialog.getByRole("button", { name: "Take it back" }).isDisabled()).toBe(true);
  });

  it("Undo of several changes stops at the first rejection and reports how many it reverted", async () => {
    await harness.gateway.call("PUT", "/plugin_configs/several", { plugins: { "key-auth": {} } });
    for (const id of ["one", "two", "three"])
      await harness.gateway.call("PUT", `/routes/${id}`, { uri: `/${id}`, upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/plugin_configs/several");
    const { page } = visit;
    const uses = page.getByRole("region", { name: "Used by" });
    await uses.getByRole("button", { name: "Attach…" }).click();
    for (const id of ["one", "two", "three"]) {
      await visit.write(page.getByRole("combobox", { name: "Routes and services" }), `routes/${id}`);
      await page.getByRole("option", { name: `routes/${id}` }).click();
    }
    await page.getByRole("button", { name: "Attach to 3" }).click();
    await page.getByText(/^Live, generation/).waitFor();
    const attached = async (id: string) => (await stored(`/routes/${id}`))["plugin_config_id"];
    const { json } = await harness.gateway.call("GET", "/history?limit=3");
    const second = (json["list"] as { id: string }[])[1]?.id ?? "";
    await harness.gateway.call("PUT", "/plugin_configs/other", { plugins: { "key-auth": {} } });
    await harness.gateway.call("PATCH", `/routes/${second}`, { plugin_config_id: "other" });
    await undo();
    await page.getByText(/^1 of 3 taken back, then refused; .*plugin_config_id/).waitFor();
    const all = await Promise.all(["one", "two", "three"].map(attached));
    expect([...all].sort()).toEqual(["other", "several", undefined]);
  });

  it("Undo restores a deleted consumer with its key, which the page never contained", async () => {
    const consumer = { username: "ada", plugins: { "key-auth": { key: "ada-secret-key" } } };
    await harness.gateway.call("PUT", "/consumers", consumer);
    const route = { uri: "/members", upstream: UPSTREAM, plugins: { "key-auth": {} } };
    await harness.gateway.call("PUT", "/routes/members", route);
    const asked = async () => {
      const port = harness.gateway.port("data");
      return (await fetch(`http://127.0.0.1:${port}/members`, { headers: { apikey: "ada-secret-key" } }))
        .status;
    };
    const before = await asked();
    expect(before).not.toBe(401);
    visit = await harness.signedIn("/gw/ui/consumers/ada");
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

  it("an export file has resources with a variable in place of each secret", async () => {
    const consumer = { username: "zoe", plugins: { "key-auth": { key: "zoe-secret-key" } } };
    await harness.gateway.call("PUT", "/consumers", consumer);
    visit = await harness.signedIn("/gw/ui/history");
    const { page } = visit;
    const exported = async (which: string) => {
      await page.getByRole("button", { name: "Export configuration" }).click();
      const chosen = page.getByRole("menuitem", { name: which }).click();
      return (await Promise.all([page.waitForEvent("download"), chosen]))[0];
    };
    const ofFiles = await exported("Those that stand in files");
    expect(ofFiles.suggestedFilename()).toBe("from-files.yaml");
    expect(readFileSync(await ofFiles.path(), "utf8")).toMatch(/^# 0 resources of /);
    const download = await exported("All resources");
    expect(download.suggestedFilename()).toBe("gateway.yaml");
    const text = readFileSync(await download.path(), "utf8");
    expect(text).toMatch(/^# \d+ resources of /);
    expect(text).toContain("# set CONSUMERS_ZOE_PLUGINS_KEY_AUTH_KEY: consumers/zoe plugins.key-auth.key\n");
    expect(text).toContain(`      key: \${{CONSUMERS_ZOE_PLUGINS_KEY_AUTH_KEY}}\n`);
    expect(text).not.toContain("zoe-secret-key");
    await page.getByText(/Set these variables.*CONSUMERS_ZOE_PLUGINS_KEY_AUTH_KEY/).waitFor();
  });

  it("a certificate's name and labels can be changed without its key", async () => {
    const { cert, key } = TEST_CERTIFICATE;
    await harness.gateway.call("PUT", "/ssls/shop", {
      cert,
      key,
      sni: "shop.test",
      labels: { team: "a", old: "b" },
    });
    visit = await harness.signedIn("/gw/ui/ssls/shop?tab=json");
    const { page } = visit;
    const text = page.locator(".cm-content");
    await text.waitFor();
    const shown = { cert, sni: "shop.example", labels: { team: "c" } };
    await text.fill(JSON.stringify(shown));
    await visit.save();
    expect(await stored("/ssls/shop")).toMatchObject({ sni: "shop.example", labels: { team: "c" } });
    expect((await stored("/ssls/shop"))["labels"]).toEqual({ team: "c" });
  });

  it("cyclic YAML is reported as invalid and can be replaced and saved", async () => {
    await harness.gateway.call("PUT", "/routes/circle", { uri: "/circle", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/circle?tab=yaml");
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
