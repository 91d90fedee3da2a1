import type { Locator } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { ADMIN_KEY, UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("schema documentation in text editors", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open();
    const upstream = { ...UPSTREAM, retries: 2 };
    const plugins = { "key-auth": { header: "X-Key" } };
    await harness.gateway.call("PUT", "/routes/shop", { uri: "/shop", upstream, plugins });
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  const facts = () => visit.page.getByRole("tooltip");
  const isSeen = (what: Locator): Promise<boolean> =>
    what.waitFor({ timeout: 2_000 }).then(
      () => true,
      () => false,
    );
  const key = (text: string) => visit.page.locator(".cm-line span", { hasText: text }).first();

  it.each(["yaml", "json"])(
    "schema documentation is shown under the pointer in %s, and with F1 at the text cursor",
    async (tab) => {
      visit = await harness.signedIn(`/gw/ui/routes/shop?tab=${tab}`);
      const { page } = visit;
      // A resting pointer triggers one lookup, which a schema that arrives later does not repeat.
      const told = facts().filter({ hasText: "Type: integer" });
      for (let tries = 0; tries < 10 && !(await isSeen(told)); tries++) {
        await page.getByRole("heading", { level: 1 }).hover();
        await key("retries").hover();
      }
      await told.waitFor();
      await page.getByRole("heading", { level: 1 }).hover();
      await expect.poll(() => facts().count()).toBe(0);
      await key("header").click();
      await page.getByRole("heading", { level: 1 }).hover();
      await expect.poll(() => facts().count()).toBe(0);
      await page.keyboard.press("F1");
      await facts().filter({ hasText: "header" }).filter({ hasText: 'Default: "apikey"' }).waitFor();
      expect(await axeViolationsIn(page)).toEqual([]);
      await page.keyboard.press("Escape");
      await expect.poll(() => facts().count()).toBe(0);
    },
  );

  it("error marks and focus remain when the schema arrives late", async () => {
    visit = await harness.visit("/gw/ui/new/routes?tab=json");
    const { page } = visit;
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await page.route(/\/gw\/admin\/schema\/route$/, (route) => held.then(() => route.continue()));
    await visit.signIn(ADMIN_KEY);
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    await page.keyboard.insertText('{ "url": "/r" }');
    const marks = page.locator(".cm-lintRange-error");
    await marks.first().waitFor();
    const came = page.waitForResponse(/\/gw\/admin\/schema\/route$/);
    answer();
    await came;
    await page.waitForTimeout(500);
    expect(await marks.count()).toBeGreaterThan(0);
    expect(await page.evaluate("document.activeElement.className")).toContain("cm-content");
  });

  it("errors are marked at their lines in YAML, although JSON is sent", async () => {
    visit = await harness.signedIn("/gw/ui/new/routes?tab=yaml");
    const { page } = visit;
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+a");
    const yaml =
      '# a comment\nuri: /a\nupstream:\n  nodes:\n    "127.0.0.1:9": 1\nmethod: [GET]\npriority: high\n';
    await page.keyboard.insertText(yaml);
    const marked = () => page.locator(".cm-lintRange-error").allInnerTexts();
    await expect.poll(marked).toEqual(["method", "priority: high"]);
  });

  it("YAML completions depend on the position", async () => {
    visit = await harness.signedIn("/gw/ui/routes/shop?tab=yaml");
    const { page } = visit;
    const offered = page.locator(".cm-tooltip-autocomplete");
    await page.locator(".cm-content").click();
    await page.keyboard.press("Control+End");
    await page.keyboard.type("enab");
    // The editor ignores a choice within 75 ms of offering it, against accidents; a test is faster than that.
    const choose = (name: string, line: string) =>
      expect
        .poll(async () => {
          await offered
            .getByRole("option", { name })
            .click({ timeout: 500 })
            .catch(() => undefined);
          return page.locator(".cm-line", { hasText: line }).count();
        })
        .toBe(1);
    await choose("enable_websocket", "enable_websocket");
    await page.keyboard.press("Control+Space");
    await choose("true", "enable_websocket: true");
    await page.keyboard.press("Control+a");
    await visit.paste(".cm-content", "uri: /shop\nupstream:\n  nodes: { a: 1 }\n  sch");
    await page.keyboard.type("e");
    await offered.getByRole("option", { name: /^scheme/ }).waitFor();
    expect(await offered.getByText("service_id").count()).toBe(0);
  });
});
