import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { useUpstream } from "../../support/http-upstream.js";
import { freePort } from "../../support/ports.js";
import { ADMIN_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const live = useUpstream();

describe.skipIf(WITHOUT_BROWSER)("the dashboard overview", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open();
    const put = async (path: string, value: object) =>
      expect((await harness.gateway.call("PUT", path, value)).status).toBe(201);
    await put("/upstreams/orders", { nodes: live.nodes });
    await put("/routes/shop", { uri: "/shop", upstream_id: "orders" });
    await put("/routes/quiet", { uri: "/quiet", upstream_id: "orders" });
    for (const id of ["a", "b", "c"]) {
      await put(`/upstreams/gone-${id}`, { nodes: { [`127.0.0.1:${await freePort()}`]: 1 } });
      await put(`/routes/gone-${id}`, { uri: `/gone-${id}`, upstream_id: `gone-${id}` });
    }
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  const row = (table: string, id: string) =>
    visit.page
      .getByRole("table", { name: table })
      .getByRole("row")
      .filter({ has: visit.page.getByRole("link", { name: id, exact: true }) });

  it("the overview updates rates of routes and upstreams by events, without polling", async () => {
    visit = await harness.signedIn("/gw/ui/");
    const { page } = visit;
    await page.getByRole("table", { name: "Workers" }).waitFor();
    let polled = 0;
    page.on("request", (request) => {
      if (/\/gw\/admin\/overview\?/.test(request.url())) polled += 1;
    });
    expect(await page.getByRole("table", { name: "Routes" }).count()).toBe(0);
    const load = setInterval(() => void harness.traffic("/shop"), 50);
    try {
      const now = (table: string, id: string) => row(table, id).getByRole("cell").nth(1);
      await now("Routes", "shop")
        .getByText(/^[1-9]\d*\/s$/)
        .waitFor();
      await now("Upstreams", "orders")
        .getByText(/^[1-9]\d*\/s$/)
        .waitFor();
    } finally {
      clearInterval(load);
    }
    expect(polled).toBe(0);
  });

  it("the overview shows no current rates while the event stream is down, and shows them again after it", async () => {
    visit = await harness.visit("/gw/ui/");
    const { page } = visit;
    await page.route("**/gw/admin/overview/events*", (route) => route.abort());
    await visit.signIn(ADMIN_KEY);
    await page.getByText("in: –/s").waitFor();
    expect(await page.getByText("0/s", { exact: true }).count()).toBe(0);
    await page.unroute("**/gw/admin/overview/events*");
    await page
      .getByText(/^\d+\/s$/)
      .first()
      .waitFor();
  });

  it("the overview charts show values under the pointer, zoom by dragging, and cover 15 minutes or an hour", async () => {
    visit = await harness.signedIn("/gw/ui/");
    const { page } = visit;
    await page.getByText(/^Counted since \d\d:\d\d:\d\d/).waitFor();
    const chart = page.locator(".chart .u-over").first();
    const box = (await chart.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
    const y = box.y + box.height / 2;
    await page.mouse.move(box.x + box.width - 20, y);
    await page
      .locator(".chart .u-value")
      .first()
      .getByText(/^\d\d:\d\d:\d\d$/)
      .waitFor();
    const whole = page.getByRole("button", { name: "Whole stretch" });
    expect(await whole.isVisible()).toBe(false);
    await page.mouse.move(box.x + box.width / 2, y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width - 10, y, { steps: 4 });
    await page.mouse.up();
    await whole.click();
    await expect.poll(() => whole.isVisible()).toBe(false);
    await page.getByText("1 hour", { exact: true }).click();
    await expect.poll(() => page.url()).toContain("range=hour");
    await page
      .getByText(/^Of the last hour|^No requests in this time/)
      .first()
      .waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
  });

  it("the overview lists the workers with process, generation, connections, memory and lag", async () => {
    visit = await harness.signedIn("/gw/ui/");
    const workers = visit.page.getByRole("table", { name: "Workers" });
    const cells = workers.getByRole("row").nth(1).getByRole("cell");
    await cells.nth(1).getByText(/^\d+$/).waitFor();
    await cells.nth(2).getByText(/^\d+$/).waitFor();
    const heads = workers.getByRole("columnheader");
    expect(await heads.allTextContents()).toEqual([
      "Worker",
      "Process",
      "Generation",
      "Connections",
      "Requests",
      "Memory",
      "Event loop lag, p99",
    ]);
  });

  it("the overview groups failing nodes, unfolds them, and links to each", async () => {
    for (const id of ["a", "b", "c"]) await harness.traffic(`/gone-${id}`);
    visit = await harness.signedIn("/gw/ui/");
    const { page } = visit;
    const attention = page.getByRole("region", { name: "Needs attention" });
    await attention.getByText("3 nodes fail, and are still used").waitFor();
    expect(await attention.getByRole("link", { name: "upstreams/gone-b" }).count()).toBe(0);
    await attention.getByRole("button", { name: "Show 3" }).click();
    expect(await axeViolationsIn(page)).toEqual([]);
    await attention.getByRole("link", { name: "upstreams/gone-b" }).click();
    await page.getByRole("heading", { name: "gone-b", level: 1 }).waitFor();
  });

  it("the overview shows what needs attention above the charts on a phone", async () => {
    for (const id of ["a", "b", "c"]) await harness.traffic(`/gone-${id}`);
    visit = await harness.signedIn("/gw/ui/", { viewport: { width: 390, height: 844 } });
    const attention = visit.page.getByRole("region", { name: "Needs attention" });
    await attention.getByText("3 nodes fail, and are still used").waitFor();
    const chart = visit.page.locator(".chart").first();
    await chart.waitFor();
    expect((await attention.boundingBox())?.y).toBeLessThan((await chart.boundingBox())?.y ?? 0);
  });

  it("the pages of a route and of an upstream show their traffic with charts", async () => {
    for (let i = 0; i < 5; i += 1) await harness.traffic("/shop");
    visit = await harness.signedIn("/gw/ui/routes/shop");
    const { page } = visit;
    const traffic = page.getByRole("region", { name: "Traffic" });
    await traffic
      .getByText(/^Now \d+\/s; in 15 minutes [\d.,]+\/(?:s|min|h), 5xx 0%, 4xx 0%, p99 /)
      .waitFor();
    await traffic.getByRole("button", { name: "Charts" }).click();
    await traffic.locator(".chart canvas").nth(3).waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await visit.go("/gw/ui/upstreams/orders");
    await traffic.getByText(/^Now \d+\/s; in 15 minutes/).waitFor();
    await visit.go("/gw/ui/routes/quiet");
    await traffic.getByText(/^No requests in the last hour/).waitFor();
  });

  it.each([390, 2_560])("the Russian overview fits %i pixels", async (width) => {
    visit = await harness.visit("/gw/ui/", { locale: "ru-RU", viewport: { width, height: 900 } });
    const { page } = visit;
    await page.getByLabel("Ключ администратора").fill("admin-key-of-the-tests");
    await page.keyboard.press("Enter");
    await page.getByRole("table", { name: "Рабочие процессы" }).waitFor();
    await page.locator(".chart canvas").nth(3).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth <= innerWidth")).toBe(true);
    expect(await axeViolationsIn(page)).toEqual([]);
  });
});
