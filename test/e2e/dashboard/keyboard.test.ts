import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

/** Largest number of Tab stops on a page. */
const STOPS = 120;

describe.skipIf(WITHOUT_BROWSER)("the dashboard without a mouse", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open();
    await harness.gateway.call("PUT", "/upstreams/nodes", UPSTREAM);
    visit = await harness.visit("/gw/ui");
  });
  afterAll(() => harness?.close());

  /** Returns the accessible name of the focused element. */
  const focused = () =>
    visit.page.evaluate<string>(`{
      const { activeElement: at } = document;
      at.ariaLabel ?? at.labels?.[0]?.textContent ?? at.textContent ?? "";
    }`);
  async function tabTo(name: RegExp): Promise<void> {
    for (let stops = 0; stops < STOPS; stops += 1) {
      if (name.test(await focused())) return;
      await visit.page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not come to ${name}`);
  }

  it("a route with a plugin can be added by keyboard alone", async () => {
    const { page } = visit;
    const { keyboard } = page;
    await page.getByLabel("Admin key").waitFor();
    await tabTo(/Admin key/);
    await keyboard.type("admin-key-of-the-tests");
    await keyboard.press("Enter");
    await page.getByRole("heading", { name: "Overview", level: 1 }).waitFor();
    await keyboard.press("g");
    await keyboard.press("r");
    await expect.poll(focused).toBe("Routes");
    await tabTo(/^Add route$/);
    await keyboard.press("Enter");
    await expect.poll(focused).toBe("Add route");
    await page.locator(".rjsf").waitFor();
    await tabTo(/^Id\b/);
    await keyboard.type("typed");
    await tabTo(/^uri\b/);
    await keyboard.type("/typed");
    await tabTo(/^Own nodes/);
    await keyboard.press("ArrowDown");
    await tabTo(/^upstream_id\b/);
    await keyboard.type("nodes");
    await page.getByRole("option", { name: "nodes" }).waitFor();
    await keyboard.press("Escape");
    await tabTo(/^Add plugin$/);
    await keyboard.press("Enter");
    await expect.poll(focused).toBe("Search plugins");
    await keyboard.type("response");
    await keyboard.press("Enter");
    await page.getByRole("dialog").locator(".rjsf").waitFor();
    await tabTo(/^status_code\b/);
    await keyboard.type("202");
    await keyboard.press("Control+s");
    await page.getByRole("heading", { name: "typed", level: 1 }).waitFor();
    const { json } = await harness.gateway.call("GET", "/routes/typed");
    expect(json["value"]).toMatchObject({
      ...{ uri: "/typed", upstream_id: "nodes" },
      plugins: { "response-rewrite": { status_code: 202 } },
    });
    await visit.close();
  });
});
