import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { useUpstream } from "../../support/http-upstream.js";
import { ADMIN_KEY, UPSTREAM, VIEWER_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("the page Which route?", () => {
  const seen: string[] = [];
  const upstream = useUpstream((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    response.writeHead(207, { "X-From": "node" });
    response.end("live answer");
  });
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(`routes:
  - id: orders
    uri: /orders/*
    host: "*.shop.test"
    methods: [PUT, PURGE]
    remote_addr: 10.0.0.0/8
    vars: [[http_x_kind, "==", special]]
    upstream: { nodes: ${JSON.stringify(upstream.nodes)} }
  - id: live
    uri: /live
    upstream: { nodes: ${JSON.stringify(upstream.nodes)} }
    plugins: { response-rewrite: { headers: { set: { X-Set: "yes" } } } }
`);
    await harness.gateway.call("PUT", "/routes/off", { uri: "/orders/*", status: 0, upstream: UPSTREAM });
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  const told = () => visit.page.getByRole("region", { name: "What becomes of the request" });
  const candidate = (id: string) =>
    told()
      .getByRole("row")
      .filter({ has: visit.page.getByRole("link", { name: id, exact: true }) });

  it("a route page fills in method, host, path and client, and the result shows the unmet condition", async () => {
    visit = await harness.signedIn("/gw/ui/routes/orders");
    const { page } = visit;
    await page.getByRole("link", { name: "Try a request" }).click();
    await candidate("orders").getByText('$http_x_kind is "special", but $http_x_kind is absent').waitFor();
    await candidate("orders").getByText("gateway.yaml:7:12").waitFor();
    await candidate("off")
      .getByText(/^it is disabled/)
      .waitFor();
    expect(await page.getByRole("combobox", { name: "Method" }).inputValue()).toBe("PUT");
    expect(await page.getByLabel("Client address").inputValue()).toBe("10.0.0.0");
    expect(await page.getByLabel("Path or address").inputValue()).toBe("http://www.shop.test/orders/");
    await page.getByRole("combobox", { name: "Method" }).fill("PURGE");
    await page.getByLabel("Headers, one a line").fill("X-Kind: special");
    await page.getByRole("button", { name: "Ask" }).click();
    await told().getByRole("heading", { name: "Taken by" }).waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
  });

  it("a live request is sent to a node only after Send, and the response is shown", async () => {
    visit = await harness.signedIn("/gw/ui/which-route?url=%2Flive&answer=live");
    const { page } = visit;
    await page.getByText("The request really is sent").waitFor();
    // A URL from somebody else sends nothing.
    await page.getByText("Type a request, or paste a curl command").waitFor();
    expect(seen).toEqual([]);
    await page.getByRole("button", { name: "Send" }).click();
    await told()
      .getByRole("heading", { name: "What the client gets: the upstream has answered 207" })
      .waitFor();
    expect(seen).toEqual(["GET /live"]);
    const [node = ""] = Object.keys(upstream.nodes);
    await told().getByRole("table", { name: "Nodes that were asked" }).getByText(node).waitFor();
    const text = await told().innerText();
    for (const part of ["X-From: node", "X-Set: yes", "live answer"]) expect(text).toContain(part);
    expect(await axeViolationsIn(page)).toEqual([]);
    await page.getByText("Stub: nothing is sent").click();
    await told().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Ask" }).click();
    await told()
      .getByRole("heading", { name: "What the client gets when the upstream answers 200" })
      .waitFor();
    expect(seen).toHaveLength(1);
  });

  it("a viewer cannot send a live request and reads why", async () => {
    visit = await harness.signedIn("/gw/ui/which-route?url=%2Flive&answer=live", {}, VIEWER_KEY);
    const { page } = visit;
    await page.getByText("A viewer key sends nothing to an upstream.").waitFor();
    expect(await page.getByRole("radio", { name: "Live: send the request" }).isDisabled()).toBe(true);
    await told()
      .getByRole("heading", { name: "What the client gets when the upstream answers 200" })
      .waitFor();
  });

  it("Back restores the previous question with its result", async () => {
    visit = await harness.signedIn("/gw/ui/which-route?url=%2Flive");
    const { page } = visit;
    await told().getByRole("heading", { name: "Taken by" }).waitFor();
    await page.getByLabel("Path or address").fill("/nowhere");
    await told().waitFor({ state: "detached" });
    await page.getByRole("button", { name: "Ask" }).click();
    await told().getByText("No route takes it").waitFor();
    await page.goBack();
    await told().getByRole("heading", { name: "Taken by" }).waitFor();
    expect(await page.getByLabel("Path or address").inputValue()).toBe("/live");
  });

  it("the parts of a curl command that no field contains are listed, and long values wrap at 390 px", async () => {
    visit = await harness.signedIn("/gw/ui/which-route", { viewport: { width: 390, height: 844 } });
    const { page } = visit;
    const command = `curl -sS 'http://h.test/live' -F a=@b.png --from-tomorrow -H "X-T: $TOKEN" -H 'X-Long: ${"x".repeat(600)}'`;
    await visit.paste('input[placeholder*="curl"]', command);
    const notes = page.getByRole("status").filter({ hasText: "Not all of the command is in the fields" });
    await notes.getByText("-F a=@b.png").waitFor();
    await notes.getByText("Unknown options: --from-tomorrow").waitFor();
    await notes.getByText("$TOKEN").waitFor();
    expect(await page.getByRole("combobox", { name: "Method" }).inputValue()).toBe("POST");
    await page.getByRole("button", { name: "Ask" }).click();
    await told().getByText("X-Long").waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    const cut = `[...document.querySelectorAll("pre.message")].filter((one) => one.scrollWidth > one.clientWidth + 1).length`;
    expect(await page.evaluate(cut)).toBe(0);
    const words = `[...document.querySelectorAll(".mantine-Badge-label")].filter((one) => one.scrollWidth > one.clientWidth).length`;
    expect(await page.evaluate(words)).toBe(0);
  });

  it("the Russian page fits 390 px with both kinds of response and unbroken candidate locations", async () => {
    const narrow = { viewport: { width: 390, height: 844 }, locale: "ru-RU" };
    visit = await harness.visit("/gw/ui/which-route?method=GET&url=%2Flive", narrow);
    const { page } = visit;
    await visit.write(page.getByLabel("Ключ администратора"), ADMIN_KEY);
    await page.keyboard.press("Enter");
    const place = page
      .getByRole("table", { name: "Кандидаты в порядке проверки" })
      .getByText(/^хранилище$|:\d+:\d+$/);
    expect((await place.first().boundingBox())?.height).toBeLessThan(24);
    for (const answer of ["Заданный", "Настоящий"]) {
      const box = await page.locator("label").filter({ hasText: answer }).boundingBox();
      expect(box && box.x + box.width).toBeLessThanOrEqual(390 - 16);
    }
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
  });

  it("the module page connects a route's own fields with plan and module under the pointer", async () => {
    visit = await harness.signedIn("/gw/ui/module/routes/live");
    const { page } = visit;
    const pane = (name: string) => page.getByRole("region", { name, exact: true });
    await pane("Configuration").getByText("uri: /live").hover();
    await page.getByText("routes/live › uri").waitFor();
    await pane("Plan").locator(".joined").getByText("/live").waitFor();
    await pane("Generated TypeScript").locator(".joined").getByText("Route").waitFor();
  });
});
