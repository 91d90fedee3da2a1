import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { UPSTREAM, VIEWER_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const FILE = `routes:
  - id: of-a-file
    uri: /orders/*
    host: shop.test
    methods: [POST]
    upstream: { nodes: { "127.0.0.1:9": 1 } }
    plugins: { proxy-rewrite: { headers: { set: { X-Seen: "yes" } } } }
`;

describe.skipIf(WITHOUT_BROWSER)("explanations of the gateway's behaviour", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(FILE);
  });
  afterAll(() => harness?.close());
  afterEach(async () => {
    await visit.close();
  });

  const ask = () => visit.page.getByRole("button", { name: "Ask" }).click();
  const told = () => visit.page.getByRole("region", { name: "What becomes of the request" });

  it("a curl command is answered with the route, its plugins and the upstream request", async () => {
    visit = await harness.signedIn("/gw/ui/which-route");
    const command = `curl -X POST 'http://shop.test/orders/7?a=b' -H 'X-Own: 1' --data-raw '{"n":1}'`;
    await visit.page.getByLabel("Path or address").fill(command);
    await ask();
    await told().getByRole("link", { name: "of-a-file" }).first().waitFor();
    const text = (await told().innerText()).toLowerCase();
    for (const part of [
      "post /orders/7?a=b",
      "x-own: 1",
      "x-seen: yes",
      '{"n":1}',
      "proxy-rewrite",
      "of the route",
    ])
      expect(text).toContain(part);
    expect(text).toContain("gateway.yaml:2:5");
  });

  it("a route page shows the pipeline in order, with the source of each step", async () => {
    const header = (name: string) => ({ "response-rewrite": { headers: { set: { [name]: "yes" } } } });
    const put = (path: string, value: object) => harness.gateway.call("PUT", path, value);
    await put("/services/owner", {
      plugins: { ...header("X-Of-Service"), "key-auth": {} },
      upstream: UPSTREAM,
    });
    await put("/plugin_configs/common", {
      plugins: { "proxy-rewrite": { headers: { set: { "X-A": "b" } } } },
    });
    await put("/routes/merged", {
      ...{ uri: "/merged", service_id: "owner", plugin_config_id: "common" },
      plugins: {
        "response-rewrite": {
          headers: { set: { "X-Of-Route": "yes" } },
          filters: [{ regex: "secret", scope: "global", replace: "***" }],
        },
      },
    });
    visit = await harness.signedIn("/gw/ui/routes/merged");
    const { page } = visit;
    await page.getByRole("tab", { name: "Pipeline" }).click();
    const steps = page.getByRole("list", { name: "Pipeline" }).getByRole("listitem");
    await steps.first().waitFor();
    expect(await steps.allInnerTexts()).toEqual([
      expect.stringMatching(/^proxy-rewrite\s+of the plugin configuration/),
      expect.stringMatching(/^key-auth\s+of the service/),
      // The step also describes the handling of bodies.
      expect.stringMatching(
        /^response-rewrite\s+of the route[\s\S]*streams: a match takes[\s\S]*in place of what services\/owner sets/,
      ),
    ]);
    await page.getByText("It takes").first().waitFor();
    await steps.getByRole("link", { name: "of the service" }).click();
    await page.getByRole("heading", { name: "owner", level: 1 }).waitFor();
  });

  it("the URL of the page contains neither a curl command without an address nor credentials of another one", async () => {
    visit = await harness.signedIn("/gw/ui/which-route");
    const { page } = visit;
    const paste = (text: string) => visit.paste('input[placeholder*="curl"]', text);
    await paste("$ curl -H 'X-API-KEY: very-secret'");
    await page.getByText("This command names no address.").waitFor();
    expect(page.url()).not.toContain("secret");
    await paste("curl -X POST http://ada:very-secret@shop.test/orders/7 \\\n  -H 'X-Own: 1'");
    await ask();
    await told().getByRole("link", { name: "of-a-file" }).first().waitFor();
    expect((await told().innerText()).toLowerCase()).toContain("x-own: 1");
    await page.waitForURL(/orders/);
    expect(page.url()).not.toContain("secret");
  });

  it("the page's URL contains no credential that is typed or that comes from a link", async () => {
    visit = await harness.signedIn("/gw/ui/which-route?url=%2Forders%2F1%3Faccess_token%3Dlinked-secret");
    const { page } = visit;
    await page.waitForURL((url) => !url.href.includes("secret") && url.href.includes("orders"));
    const seen: string[] = [];
    page.on("framenavigated", (frame) => void seen.push(frame.url()));
    await page.getByLabel("Path or address").press("End");
    await page.getByLabel("Path or address").pressSequentially("&my_api_key=typed-secret&b=c");
    expect(await page.getByLabel("Path or address").inputValue()).toBe(
      "/orders/1?access_token=linked-secret&my_api_key=typed-secret&b=c",
    );
    await ask();
    await page.waitForURL((url) => url.searchParams.get("url") === "/orders/1?access_token=&my_api_key=&b=c");
    expect(seen.filter((url) => url.includes("secret"))).toEqual([]);
    expect(await page.getByLabel("Path or address").inputValue()).toContain("typed-secret");
    await told().getByText("No route takes it: the client gets 404.").waitFor();
  });

  it("a viewer reads why no route matches, with a link to the candidate", async () => {
    visit = await harness.signedIn("/gw/ui/which-route?method=GET&url=%2Forders%2F7", {}, VIEWER_KEY);
    await ask();
    await told().getByText("No route takes it: the client gets 404.").waitFor();
    expect((await told().innerText()).toLowerCase()).toContain("host");
    await told().getByRole("link", { name: "of-a-file" }).click();
    await visit.page.getByRole("heading", { name: "of-a-file" }).waitFor();
  });

  it("a stub response is shown as the client receives it, and disappears when the question changes", async () => {
    const plugins = { "response-rewrite": { filters: [{ regex: "secret", replace: "***" }] } };
    await harness.gateway.call("PUT", "/routes/masked", { uri: "/masked", upstream: UPSTREAM, plugins });
    visit = await harness.signedIn("/gw/ui/which-route?url=%2Fmasked");
    const { page } = visit;
    // A question in the URL is sent at once.
    await told().getByRole("link", { name: "masked" }).first().waitFor();
    await page.getByText("What the upstream answers").click();
    await page.getByLabel("Status", { exact: true }).fill("404");
    await page.getByLabel("Headers of the answer, one a line").fill("X-From: stub");
    await page.getByLabel("Body of the answer").fill("a secret");
    await told().waitFor({ state: "detached" });
    await ask();
    await told()
      .getByRole("heading", { name: "What the client gets when the upstream answers 404" })
      .waitFor();
    const text = await told().innerText();
    for (const part of ["404", "X-From: stub", "a ***"]) expect(text).toContain(part);
  });

  it("an invalid request is reported", async () => {
    visit = await harness.signedIn("/gw/ui/which-route");
    await visit.page.getByLabel("Path or address").fill("no-path");
    await ask();
    await visit.page
      .getByRole("alert")
      .filter({ hasText: /path|url/i })
      .waitFor();
  });

  it("the overview shows live request rates and busy routes", async () => {
    await harness.gateway.call("PUT", "/routes/busy", { uri: "/busy", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui");
    const { page } = visit;
    for (const held of ["Store", "History", "Queues of logs", "Spools"])
      await page.getByRole("main").getByRole("term").filter({ hasText: held }).waitFor();
    await expect.poll(() => page.locator("canvas").count()).toBe(4);
    const traffic = setInterval(() => void harness.traffic("/busy").catch(() => {}), 50);
    try {
      const tile = page.getByRole("main").getByText("Requests", { exact: true }).first().locator("..");
      await expect.poll(() => tile.innerText()).toMatch(/[1-9]\d*\/s/);
      const routes = page.getByRole("table", { name: "Routes" });
      await routes.getByRole("link", { name: "busy", exact: true }).waitFor();
    } finally {
      clearInterval(traffic);
    }
  });

  it("the history shows user, note and changed lines, and a change can be reverted once", async () => {
    const put = (note: string, name: string) => {
      const route = { uri: "/changed", name, upstream: UPSTREAM };
      return harness.gateway.call("PUT", `/routes/changed?note=${encodeURIComponent(note)}`, route);
    };
    await put("for the sale", "first");
    await put("a slip", "second");
    visit = await harness.signedIn("/gw/ui/history");
    const { page } = visit;
    const row = page.getByRole("row").filter({ hasText: "a slip" });
    await row.getByText(/^admin/).waitFor();
    await row.getByRole("button", { name: /^routes\/changed, change/ }).click();
    const drawer = page.getByRole("dialog");
    await drawer.getByText("- name: first").waitFor();
    await drawer.getByText("+ name: second").waitFor();
    await drawer.getByRole("button", { name: "Take it back" }).click();
    await page.getByText(/^Live, generation/).waitFor();
    const { json } = await harness.gateway.call("GET", "/routes/changed");
    expect((json["value"] as { name: string }).name).toBe("first");
    await page
      .getByRole("row")
      .filter({ hasText: /takes back change \d+/ })
      .waitFor();
    await page.getByRole("row").filter({ hasText: "a slip" }).getByRole("button").click();
    await page.getByText("It has changed since").waitFor();
    expect(await page.getByRole("button", { name: "Take it back" }).isDisabled()).toBe(true);
  });
});
