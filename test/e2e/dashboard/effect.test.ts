import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { ADMIN_KEY, UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("the effect of a draft before it is saved", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open();
    const put = (path: string, body: object) => harness.gateway.call("PUT", path, body);
    await put("/services/shared", { upstream: UPSTREAM });
    for (const id of ["a", "b"]) await put(`/routes/${id}`, { uri: `/${id}`, service_id: "shared" });
    await put("/routes/orders", { uri: "/orders/*", upstream: UPSTREAM });
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  /** Replaces the whole text of the editor. */
  async function write(text: string) {
    const { page } = visit;
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await visit.paste(".cm-content", text);
  }
  const tab = (name: string) => visit.page.getByRole("tab", { name });
  const panel = (name: string) => visit.page.getByRole("tabpanel", { name });
  const dryRuns = () => {
    const asked: string[] = [];
    visit.page.on("request", (request) => {
      const [, what] = /[?&]dry_run=(\w+)/.exec(request.url()) ?? [];
      if (what !== undefined) asked.push(what);
    });
    return asked;
  };

  it("the open Traffic tab lists routes that behave differently, in sentences and with a request", async () => {
    visit = await harness.signedIn("/gw/ui/services/shared?tab=json");
    const asked = dryRuns();
    await write(
      JSON.stringify({
        upstream: UPSTREAM,
        plugins: { "response-rewrite": { headers: { set: { "X-Seen": "yes" } } } },
      }),
    );
    await tab("Findings").waitFor();
    await expect.poll(() => asked).toContain("true");
    expect(asked).not.toContain("effect");
    await tab("Findings").focus();
    await visit.page.keyboard.press("ArrowRight");
    await visit.page.keyboard.press("ArrowRight");
    await panel("Traffic").getByText("2 routes behave differently").waitFor();
    await panel("Traffic").getByRole("heading", { name: "Route a: does something else" }).waitFor();
    await panel("Traffic")
      .getByText(/\+ .*response-rewrite sets the response header X-Seen to "yes"/)
      .waitFor();
    await panel("Traffic").getByText("The same for route b.").waitFor();
    await panel("Traffic").getByText("response header x-seen: absent → yes").waitFor();
    expect(await panel("Traffic").getByRole("link").allInnerTexts()).toEqual(["a", "b"]);
    expect(await axeViolationsIn(visit.page)).toEqual([]);
  });

  it("the Traffic tab names the route that loses requests to a new one", async () => {
    visit = await harness.signedIn("/gw/ui/new/routes?tab=json");
    await write(JSON.stringify({ uri: "/orders/exports/*", upstream: { nodes: { "127.0.0.1:10": 1 } } }));
    await tab("Traffic").click();
    await panel("Traffic")
      .getByRole("heading", { name: "Route orders: requests go to route draft now" })
      .waitFor();
    await panel("Traffic").getByText("GET http://host.example/orders/exports/x").first().waitFor();
    expect((await harness.gateway.call("GET", "/routes/draft")).status).toBe(404);
  });

  it("the Traffic tab follows the text, reports that nothing changes, and refers errors to Findings", async () => {
    visit = await harness.signedIn("/gw/ui/routes/orders?tab=json");
    await visit.page.locator(".cm-content").waitFor();
    await tab("Traffic").click();
    await panel("Traffic").getByText("Nothing is changed.").waitFor();
    await write(JSON.stringify({ uri: "/orders/*", upstream: UPSTREAM, desc: "only words" }));
    await panel("Traffic").getByText("Nothing changes for traffic.").waitFor();
    await write(JSON.stringify({ uri: 5, upstream: UPSTREAM }));
    await panel("Traffic").getByText("The compiler refuses it: the findings say why.").waitFor();
    await write("{");
    await panel("Traffic").getByText("The text cannot be read yet.").waitFor();
  });

  it("the Module tab shows the changed generated modules of the chosen route", async () => {
    visit = await harness.signedIn("/gw/ui/services/shared?tab=json");
    const { page } = visit;
    await write(
      JSON.stringify({
        upstream: UPSTREAM,
        plugins: { "response-rewrite": { headers: { set: { "X-Seen": "yes" } } } },
      }),
    );
    await tab("Module").click();
    await panel("Module").getByText("2 modules change").waitFor();
    await panel("Module")
      .locator(".added")
      .getByText("services/shared plugins.response-rewrite")
      .first()
      .waitFor();
    const choice = panel("Module").getByRole("combobox", { name: "Module of" });
    expect(await choice.inputValue()).toBe("routes/a");
    await choice.focus();
    await page.keyboard.press("ArrowDown");
    await page.getByRole("option", { name: "routes/b" }).click();
    await expect.poll(() => choice.inputValue()).toBe("routes/b");
    expect(await axeViolationsIn(page)).toEqual([]);
    await write(JSON.stringify({ upstream: { nodes: { "127.0.0.1:11": 1 } } }));
    await panel("Module").getByText("No generated module changes.").waitFor();
  });

  it("the Traffic tab is shown in Russian", async () => {
    visit = await harness.visit("/gw/ui/services/shared?tab=json", { locale: "ru-RU" });
    await visit.write(visit.page.getByLabel("Ключ администратора"), ADMIN_KEY);
    await visit.page.keyboard.press("Enter");
    await write(JSON.stringify({ upstream: { nodes: { "127.0.0.1:11": 1 } } }));
    await tab("Запросы").click();
    await panel("Запросы").getByText("Иначе поведут себя 2 маршрута").waitFor();
    await panel("Запросы").getByRole("heading", { name: "Маршрут a: делает другое" }).waitFor();
  });

  describe("a diagnostic with a fix", () => {
    const text = () => visit.page.locator(".cm-content");

    it("a fix is a button that changes only the draft and can be undone", async () => {
      visit = await harness.signedIn("/gw/ui/routes/orders?tab=json");
      const { page } = visit;
      await write(JSON.stringify({ uri: "/orders/*", upstream: UPSTREAM, priority: "10" }));
      await panel("Findings").getByRole("button", { name: "Write 10" }).focus();
      await page.keyboard.press("Enter");
      await text().filter({ hasText: '"priority": 10' }).waitFor();
      await panel("Findings").getByText("The compiler has nothing to say.").waitFor();
      await text().focus();
      await page.keyboard.press("Control+z");
      await text().filter({ hasText: '"priority":"10"' }).waitFor();
      const { value } = (await harness.gateway.call("GET", "/routes/orders")).json as { value: object };
      expect(value).not.toHaveProperty("priority");
    });

    it("a fix retains the comments of YAML", async () => {
      visit = await harness.signedIn("/gw/ui/routes/orders?tab=yaml");
      await text().waitFor();
      await write("# Orders of the shop.\nuri: /orders/*\nmethod: [GET] # read only\nupstream_id: u\n");
      await panel("Findings").getByRole("button", { name: "Rename method to methods" }).click();
      await text()
        .filter({ hasText: "# Orders of the shop." })
        .filter({ hasText: "methods: [ GET ] # read only" })
        .waitFor();
    });

    it("a fix is also offered at its line", async () => {
      visit = await harness.signedIn("/gw/ui/routes/orders?tab=json");
      const { page } = visit;
      await write(JSON.stringify({ url: "/orders/*", upstream: UPSTREAM }));
      await page.locator(".cm-lintRange-error").first().waitFor();
      await page.locator(".cm-lintRange-error").first().hover();
      await page.locator(".cm-tooltip-lint .cm-diagnosticAction", { hasText: "Rename url to uri" }).click();
      await text().filter({ hasText: '"uri": "/orders/*"' }).waitFor();
    });
  });
});
