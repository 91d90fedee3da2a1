import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { useUpstream } from "../../support/http-upstream.js";
import { VIEWER_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("the trace page", () => {
  const upstream = useUpstream((_request, response) => {
    response.writeHead(200, { "X-From": "upstream" });
    response.end("ok");
  });
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(`routes:
  - id: orders
    uri: /orders/*
    upstream: { nodes: ${JSON.stringify(upstream.nodes)} }
    plugins:
      proxy-rewrite: { headers: { set: { X-Seen: "<b>yes</b>" } } }
      response-rewrite: { headers: { remove: [X-From] } }
`);
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  const caught = () => visit.page.getByRole("region", { name: "What was caught" });

  it("the trace page catches a request without a route, to which the overview links", async () => {
    await harness.traffic("/nowhere");
    await harness.traffic("/orders/1");
    visit = await harness.signedIn("/gw/ui/");
    const { page } = visit;
    const row = page
      .getByRole("table", { name: "Routes" })
      .getByRole("row")
      .filter({ hasText: "no route (404)" });
    await row.waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await row.getByRole("link", { name: "Catch the next one" }).click();
    await page.getByRole("checkbox", { name: "No route takes it" }).waitFor();
    expect(await page.getByRole("checkbox", { name: "No route takes it" }).isChecked()).toBe(true);
    await page.getByRole("button", { name: "Start" }).click();
    await caught().getByText("no route", { exact: true }).waitFor();
    await caught().getByText("0 of 1 caught").waitFor();
    await harness.traffic("/orders/1");
    await harness.traffic("/gone");
    await caught().getByText("1 of 1 caught").waitFor();
    await page.getByRole("link", { name: "Which route? asks the same" }).click();
    await page.getByText("/gone").first().waitFor();
  });

  it("a trace is armed by keyboard, and shows what each plugin did with links to settings and module", async () => {
    visit = await harness.signedIn("/gw/ui/trace");
    const { page } = visit;
    await page.getByText("While nothing is armed it costs nothing.").waitFor();
    await page.getByLabel("Path").fill("/orders/*");
    await page.getByLabel("Method").fill("GET");
    await page.keyboard.press("Enter");
    await caught().getByText("0 of 1 caught").waitFor();
    await caught().getByText("armed", { exact: true }).waitFor();
    await harness.traffic("/elsewhere");
    await harness.traffic("/orders/7?token=secret-of-the-client");
    await caught().getByText("1 of 1 caught").waitFor();
    await caught().getByText("done", { exact: true }).waitFor();
    const did = caught().getByRole("table", { name: "What plugins did" });
    const rewrite = did.getByRole("row").filter({ hasText: "proxy-rewrite" });
    await rewrite.getByText("+ request X-Seen: <b>yes</b>").waitFor();
    await rewrite.getByText(/^gateway\.yaml:6:7$/).waitFor();
    await did.getByText("− response X-From: upstream").waitFor();
    expect(await caught().innerText()).not.toContain("secret-of-the-client");
    expect(await axeViolationsIn(page)).toEqual([]);
    await rewrite.getByRole("link", { name: "routes/orders", exact: true }).click();
    await page.getByRole("heading", { name: "orders", level: 1 }).waitFor();
    await page.goBack();
    await rewrite
      .getByRole("link", { name: /^Generated module, at routes.orders plugins.proxy-rewrite/ })
      .click();
    await page.getByRole("heading", { name: "Generated module of orders" }).waitFor();
    await page
      .getByRole("region", { name: "Generated TypeScript" })
      .locator(".joined")
      .filter({ hasText: "X-Seen" })
      .waitFor();
    await page.goBack();
    await caught().getByRole("link", { name: "Which route? asks the same" }).click();
    await page.getByRole("region", { name: "What becomes of the request" }).waitFor();
    expect(await page.getByLabel("Path or address").inputValue()).toContain("/orders/7?token=***");
  });

  it("the trace page disarms a trace, lists earlier ones, and reports an invalid filter", async () => {
    visit = await harness.signedIn("/gw/ui/trace");
    const { page } = visit;
    await page.getByLabel("Client").fill("here");
    await page.getByRole("button", { name: "Start" }).click();
    await page.getByRole("alert").filter({ hasText: "client" }).waitFor();
    await page.getByLabel("Client").fill("203.0.113.9");
    await page.getByRole("button", { name: "Start" }).click();
    await caught().getByText("0 of 1 caught").waitFor();
    await caught().getByRole("button", { name: "Disarm" }).click();
    await caught().getByText("No request matched in that time.").waitFor();
    await page
      .getByRole("link", { name: "GET, /orders/*" })
      .or(page.getByRole("link", { name: "/orders/*, GET" }))
      .click();
    await caught().getByText("1 of 1 caught").waitFor();
  });

  it("a viewer reads on the trace page why it is disabled", async () => {
    visit = await harness.signedIn("/gw/ui/trace", {}, VIEWER_KEY);
    const { page } = visit;
    await page.getByText("A viewer key may not see the requests of clients").waitFor();
    expect(await page.getByRole("button", { name: "Start" }).isDisabled()).toBe(true);
    expect(await page.getByLabel("Path").isDisabled()).toBe(true);
    expect(await axeViolationsIn(page)).toEqual([]);
  });
});
