import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { UPSTREAM, VIEWER_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const FILE = `services:
  - id: shop
    upstream: { nodes: { "127.0.0.1:9": 1 } }
    plugins:
      key-auth: {}
routes:
  - id: orders
    uri: /orders/*
    service_id: shop
    plugins:
      proxy-rewrite: { headers: { set: { X-Seen: "yes", X-Token: "\${{GWC_TEST_TOKEN}}" } } }
      response-rewrite: { filters: [{ regex: "secret=[0-9]+", replace: "***" }] }
  - { id: plain, uri: /plain, service_id: bare }
`;
const BARE = `  - { id: bare, upstream: { nodes: { "127.0.0.1:9": 1 } } }
`;
const TALL = { viewport: { width: 1_280, height: 1_400 } };
/** Viewport of a phone. */
const NARROW = { viewport: { width: 390, height: 844 } };

describe.skipIf(WITHOUT_BROWSER)("compiled modules and the regex tester", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    process.env["GWC_TEST_TOKEN"] = "value-of-the-environment";
    harness = await DashboardHarness.open(FILE.replace("routes:\n", `${BARE}routes:\n`));
  });
  afterAll(async () => {
    delete process.env["GWC_TEST_TOKEN"];
    await harness?.close();
  });
  afterEach(() => visit.close());

  const pane = (name: string) => visit.page.getByRole("region", { name, exact: true });
  const joined = (name: string) => pane(name).locator(".cm-line.joined");
  const line = (name: string, text: string | RegExp) =>
    pane(name).locator(".cm-line").filter({ hasText: text });

  describe("the page of a generated module", () => {
    it("the module page is linked from the route and shows configuration, plan and code without secrets", async () => {
      visit = await harness.signedIn("/gw/ui/routes/orders", {}, VIEWER_KEY);
      const { page } = visit;
      await page.getByRole("link", { name: "Generated module" }).click();
      await page.getByRole("heading", { name: "Generated module of orders", level: 1 }).waitFor();
      expect(page.url()).toContain("/gw/ui/module/routes/orders");
      await line("Configuration", "# routes/orders, gateway.yaml:").waitFor();
      await line("Configuration", "# services/shop, gateway.yaml:").waitFor();
      await line("Plan", '"origin": "routes/orders"').first().waitFor();
      await line("Generated TypeScript", "export default").waitFor();
      expect(await page.content()).not.toContain("value-of-the-environment");
    });

    it("the module page marks the lines that belong to the text under the pointer", async () => {
      // The editor renders lines near the visible ones only, and the route's module has 60.
      visit = await harness.signedIn("/gw/ui/module/routes/orders", TALL);
      const { page } = visit;
      await line("Generated TypeScript", "secret=").first().hover();
      await expect
        .poll(() => joined("Configuration").allInnerTexts())
        .toContainEqual(expect.stringContaining("secret=[0-9]+"));
      await expect
        .poll(() => joined("Plan").allInnerTexts())
        .toContainEqual(expect.stringContaining('"pattern": "secret=[0-9]+"'));
      expect((await joined("Configuration").allInnerTexts()).join()).not.toContain("X-Seen");
      await page
        .getByText(/routes\/orders › plugins › response-rewrite › filters › 0 · gateway\.yaml:1\d/)
        .waitFor();
      await line("Configuration", "key-auth").hover();
      await expect
        .poll(() => joined("Generated TypeScript").allInnerTexts())
        .toContainEqual(expect.stringContaining("consumers.find(key)"));
      await page.getByRole("heading", { level: 1 }).hover();
      await expect.poll(() => page.locator(".cm-line.joined").count()).toBe(0);
    });

    it("the module page marks the configuration lines that belong to the text cursor", async () => {
      visit = await harness.signedIn("/gw/ui/module/routes/orders");
      const { page } = visit;
      await page.getByRole("textbox", { name: "Configuration" }).focus();
      await expect
        .poll(() => joined("Configuration").allInnerTexts())
        .toEqual([expect.stringContaining("# routes/orders")]);
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      await expect.poll(() => joined("Configuration").allInnerTexts()).toEqual(["uri: /orders/*"]);
    });

    it("the panes of the module page are below each other on a phone", async () => {
      visit = await harness.signedIn("/gw/ui/module/routes/orders", NARROW);
      const { page } = visit;
      const boxes = await Promise.all(
        ["Configuration", "Plan", "Generated TypeScript"].map(async (name) => {
          await pane(name).waitFor();
          return pane(name).boundingBox();
        }),
      );
      const tops = boxes.map((box) => box?.y ?? 0);
      expect(tops).toEqual([...tops].sort((a, b) => a - b));
      expect(new Set(boxes.map((box) => box?.x)).size).toBe(1);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    });

    it("the module page explains why there is no module", async () => {
      visit = await harness.signedIn("/gw/ui/module/routes/plain");
      const { page } = visit;
      await page.getByText("It needs no code: it only forwards what it takes.").waitFor();
      await page.goto(`${harness.origin}/gw/ui/module/services/shop`);
      await visit.signIn(VIEWER_KEY);
      await page.getByText("It has no module of its own").waitFor();
      await page.goto(`${harness.origin}/gw/ui/module/routes/nobody`);
      await visit.signIn(VIEWER_KEY);
      await page.getByText("there is no module of routes/nobody").waitFor();
    });

    it("the module page is found in the palette", async () => {
      visit = await harness.signedIn("/gw/ui");
      const { page } = visit;
      await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
      await page.keyboard.press("Control+k");
      await page.getByRole("dialog").getByRole("textbox").fill("module of orders");
      await page.getByRole("dialog").getByText("Generated module of orders").waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Enter");
      await page.getByRole("heading", { name: "Generated module of orders", level: 1 }).waitFor();
    });
  });

  describe("the regex tester", () => {
    const body = () => visit.page.getByRole("textbox", { name: "Body", exact: true });
    const replaced = () => visit.page.getByRole("textbox", { name: "New body" });

    it("the regex tester marks matches while the user types and describes the compiled pattern", async () => {
      visit = await harness.signedIn("/gw/ui", {}, VIEWER_KEY);
      const { page } = visit;
      await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
      await page.keyboard.press("g");
      await page.keyboard.press("x");
      await page.getByRole("heading", { name: "Regex tester", level: 1 }).waitFor();
      await page.getByRole("textbox", { name: "Pattern" }).fill("é(\\d)");
      await page.getByRole("textbox", { name: "Replacement" }).fill("<$1>");
      await body().click();
      await page.keyboard.type("aé1 é2");
      await expect.poll(() => page.locator(".match").allInnerTexts()).toEqual(["é1", "é2"]);
      expect(await replaced().inputValue()).toBe("a<1> <2>");
      const verdict = page.getByRole("region", { name: "What the gateway makes of it" });
      expect(await verdict.innerText()).toMatch(
        /\/\\xc3\\xa9\((?:\[0-9\]|\\d)\)\/g[\s\S]*V8, backtracking[\s\S]*linear[\s\S]*streams/i,
      );
      await page.getByRole("heading", { name: "2 matches" }).waitFor();
      await expect.poll(() => page.url()).toContain("pattern=");
      await page.getByRole("combobox", { name: "Replaces" }).click();
      await page.getByRole("option", { name: "the first match" }).click();
      await expect.poll(() => page.locator(".match").allInnerTexts()).toEqual(["é1"]);
    });

    it("the regex tester shows diagnostics with positions, and accepts a corrected pattern", async () => {
      visit = await harness.signedIn("/gw/ui/sandbox?pattern=%28a%2B");
      const { page } = visit;
      const finding = page.getByRole("alert").filter({ hasText: "GW4501" });
      await finding.getByText("missing closing parenthesis").waitFor();
      await finding.getByText("Pattern, character 4").waitFor();
      expect(await page.getByRole("button", { name: "Copy as a filter" }).count()).toBe(0);
      await page.getByRole("textbox", { name: "Pattern" }).fill("(a+)+\\1x");
      const slow = page.getByRole("alert").filter({ hasText: "GW4504" });
      await slow.waitFor();
      await page.getByText("refused", { exact: true }).waitFor();
      await page.getByLabel("Allow it to be slow").check();
      await slow.waitFor({ state: "detached" });
      await page.getByText("slow", { exact: true }).waitFor();
      await page.getByRole("textbox", { name: "Pattern" }).fill("a{1,3}");
      await page.getByText("streams", { exact: true }).waitFor();
    });

    it("the regex tester copies the filter as YAML", async () => {
      visit = await harness.signedIn("/gw/ui/sandbox?pattern=%5Cd%7B4%7D&replace=%2A%2A%2A%2A", {
        permissions: ["clipboard-read", "clipboard-write"],
      });
      const { page } = visit;
      await page.getByRole("button", { name: "Copy as a filter" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
        'response-rewrite:\n  filters:\n    - regex: \\d{4}\n      replace: "****"\n      scope: global\n',
      );
    });

    it("the regex tester works on a phone", async () => {
      visit = await harness.signedIn("/gw/ui/sandbox?pattern=a", NARROW);
      const { page } = visit;
      await body().click();
      await page.keyboard.type("banana");
      await expect.poll(() => page.locator(".match").count()).toBe(3);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    });
  });
});

describe.skipIf(WITHOUT_BROWSER)("the regex tester in Russian", () => {
  it("the regex tester has Russian texts and plurals", async () => {
    const harness = await DashboardHarness.open();
    try {
      await harness.gateway.call("PUT", "/routes/r", { uri: "/r", upstream: UPSTREAM });
      const visit = await harness.visit("/gw/ui/sandbox?pattern=a", { locale: "ru-RU" });
      await visit.page.getByRole("textbox").first().fill(VIEWER_KEY);
      await visit.page.keyboard.press("Enter");
      await visit.page.getByRole("heading", { name: "Тестер regex", level: 1 }).waitFor();
      await visit.page.getByRole("textbox", { name: "Тело", exact: true }).click();
      await visit.page.keyboard.type("banana");
      await visit.page.getByRole("heading", { name: "3 совпадения" }).waitFor();
      const card = "\\d{4}[ -]?\\d{4}[ -]?\\d{4}[ -]?(\\d{4})";
      await visit.write(visit.page.getByRole("textbox", { name: "Выражение" }), card);
      await visit.page.getByText(/не больше \d+,\d+ мс/).waitFor();
      await visit.close();
    } finally {
      await harness.close();
    }
  });
});
