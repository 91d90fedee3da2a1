import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { useUpstream } from "../../support/http-upstream.js";
import { freePort } from "../../support/ports.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const live = useUpstream();

describe.skipIf(WITHOUT_BROWSER)("the dashboard for operators", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  let nobody = "";
  beforeAll(async () => {
    harness = await DashboardHarness.open();
    nobody = `127.0.0.1:${await freePort()}`;
    const put = async (path: string, value: object) =>
      expect((await harness.gateway.call("PUT", path, value)).status).toBe(201);
    await put("/routes/shop", { uri: "/shop", upstream: { nodes: live.nodes } });
    await put("/upstreams/gone", { nodes: { [nobody]: 1 } });
    await put("/routes/both", { uri: "/both", upstream_id: "gone", upstream: UPSTREAM });
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  it("the overview separates 5xx and 4xx, shows readable small rates, and links each row", async () => {
    for (let i = 0; i < 6; i++) expect((await harness.traffic("/nothing")).status).toBe(404);
    expect((await harness.traffic("/shop")).status).toBe(200);
    visit = await harness.signedIn("/gw/ui/");
    const { page } = visit;
    const routes = page.getByRole("table", { name: "Routes" });
    const row = routes.getByRole("row").filter({ has: page.getByRole("link", { name: "shop" }) });
    await row.getByRole("cell", { name: "0% (0%)" }).waitFor();
    await row
      .getByRole("cell", { name: /^[\d.,]+\/(?:s|min|h)$/ })
      .nth(1)
      .waitFor();
    await page.getByText(/^4xx: /).waitFor();
    const own = page.getByRole("table", { name: "Upstreams" }).getByRole("link", { name: "route:shop" });
    await own.click();
    await page.getByRole("heading", { name: "shop", level: 1 }).waitFor();
  });

  it("the overview shows what needs attention in Russian", async () => {
    for (let i = 0; i < 23; i++) expect((await harness.traffic("/both")).status).toBe(502);
    visit = await harness.visit("/gw/ui/", { locale: "ru-RU" });
    const { page } = visit;
    await page.getByLabel("Ключ администратора").fill("admin-key-of-the-tests");
    await page.keyboard.press("Enter");
    const attention = page.getByRole("region", { name: "Требует внимания" });
    await attention.getByText(`Узел ${nobody} (gone) не отвечает, но ещё используется`).waitFor();
    await attention.getByText(/^За последние 5 минут \d+,\d % ответов/).waitFor();
    await attention.getByText("Посмотрите, слушает ли узел этот адрес и отвечает ли он.").waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
  });

  it("the history finds a change by its note, its resource and from the route's page", async () => {
    visit = await harness.signedIn("/gw/ui/routes/shop?tab=json");
    const { page } = visit;
    const text = JSON.stringify({ uri: "/shop", desc: "Shop", upstream: { nodes: live.nodes } });
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText(text);
    await page.getByRole("textbox", { name: "Why" }).fill("ticket 42 – проверка");
    await visit.save();
    await page.getByRole("button", { name: "More" }).click();
    await page.getByRole("menuitem", { name: "Changes of it" }).click();
    const table = page.getByRole("table", { name: "History" });
    const changed = table.getByRole("row").filter({ hasText: "ticket 42 – проверка" });
    await changed.getByText("changed", { exact: true }).waitFor();
    await table.getByText("made", { exact: true }).waitFor();
    expect(await table.getByRole("row").count()).toBe(3);
    await page.getByRole("button", { name: "Show all" }).click();
    await table.getByText("upstreams/gone").waitFor();
    await page.getByRole("searchbox", { name: "Search changes" }).fill("TICKET shop");
    await table.getByText("upstreams/gone").waitFor({ state: "detached" });
    await changed.waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await page.getByRole("searchbox", { name: "Search changes" }).fill("nowhere");
    await page.getByText("No change fits.").waitFor();
    await page.getByRole("link", { name: "Show all" }).click();
    await table.getByText("upstreams/gone").waitFor();
    expect(await page.getByRole("searchbox", { name: "Search changes" }).inputValue()).toBe("");
    await table
      .getByText(/^\d+ (?:second|minute)s? ago$/)
      .first()
      .waitFor();
  });

  it("a route with an upstream_id causes no error in the browser console", async () => {
    visit = await harness.visit("/gw/ui/routes/both");
    const { page } = visit;
    const complaints: string[] = [];
    page.on("console", (message) => {
      if (message.type() === "error") complaints.push(message.text());
    });
    const checked = page.waitForResponse(/dry_run=true/);
    await visit.signIn("admin-key-of-the-tests");
    await page.getByRole("heading", { name: "both", level: 1 }).waitFor();
    await checked;
    expect(complaints).toEqual([]);
  });

  it("a phone shows labels below icons, the current page in the navigation, and complete states", async () => {
    visit = await harness.signedIn("/gw/ui/history", { viewport: { width: 390, height: 844 } });
    const { page } = visit;
    const here = page.getByRole("navigation").getByRole("link", { name: "History" });
    await here.getByText("History").waitFor();
    await expect
      .poll(async () => {
        const box = await here.boundingBox();
        return box !== null && box.x >= -1 && box.x + box.width <= 391;
      })
      .toBe(true);
    const time = page.getByRole("table", { name: "History" }).locator("time").first();
    expect((await time.boundingBox())?.height).toBeLessThan(24);
    const search = page.getByRole("searchbox", { name: "Search changes" });
    expect((await search.boundingBox())?.width).toBeGreaterThan(240);
    expect(await axeViolationsIn(page)).toEqual([]);
    await visit.go("/gw/ui/upstreams/gone");
    const state = page.getByRole("region", { name: "Nodes now" }).locator(".mantine-Badge-label").first();
    await state.waitFor();
    expect(await state.evaluate((label) => label.scrollWidth <= label.clientWidth)).toBe(true);
  });

  it("a form is at most 1,440 pixels wide, and a list omits unused columns", async () => {
    visit = await harness.signedIn("/gw/ui/routes/shop", { viewport: { width: 2_560, height: 1_000 } });
    const { page } = visit;
    await page.getByRole("heading", { name: "shop", level: 1 }).waitFor();
    const save = await page.getByRole("button", { name: "Save", exact: true }).boundingBox();
    expect((save?.x ?? 9_999) + (save?.width ?? 0)).toBeLessThan(208 + 16 + 1_440 + 2);
    await visit.go("/gw/ui/routes");
    await page.getByRole("columnheader", { name: "Refers to" }).waitFor();
    expect(await page.getByRole("columnheader", { name: "Methods" }).count()).toBe(0);
  });
});
