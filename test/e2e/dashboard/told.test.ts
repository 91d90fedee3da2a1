import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

/** Buttons of the dialog whose centers a notification covers. */
const COVERED = `[...document.querySelectorAll("[role=dialog] button")].filter((button) => {
  const { left, top, width, height } = button.getBoundingClientRect();
  const [x, y] = [left + width / 2, top + height / 2];
  if (width === 0 || x < 0 || y < 0 || x > innerWidth || y > innerHeight) return false;
  const there = document.elementFromPoint(x, y);
  return there !== null && there.closest("[data-notification], .mantine-Notifications-root, .mantine-Notification-root") !== null;
}).map((button) => button.textContent)`;

describe.skipIf(WITHOUT_BROWSER)("the notification of a save", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open();
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  it("a notification covers no button of a drawer, and its Undo works after the drawer is closed", async () => {
    const plugins = { captcha: { site_key: "site-1234", api_key: "secret-1" } };
    await harness.gateway.call("PUT", "/routes/told", { uri: "/told", upstream: UPSTREAM, plugins });
    visit = await harness.signedIn("/gw/ui/routes/told");
    const { page } = visit;
    await page.getByRole("textbox", { name: "name", exact: true }).first().fill("first");
    await visit.save();
    await page.getByRole("button", { name: "Edit captcha" }).first().click();
    const use = page.getByRole("button", { name: "Use these settings" });
    await use.scrollIntoViewIfNeeded();
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(1);
    expect(await page.evaluate(COVERED)).toEqual([]);
    await use.click();
    await page.getByRole("dialog").waitFor({ state: "detached" });
    const stored = async () => (await harness.gateway.call("GET", "/routes/told")).json["value"];
    expect(await stored()).toMatchObject({ name: "first" });
    await page.getByRole("button", { name: "Undo" }).click();
    await page.getByText(/^Undone, generation/).waitFor();
    expect(await stored()).not.toHaveProperty("name");
  });

  it("Undo is offered only by the newest notification", async () => {
    await harness.gateway.call("PUT", "/routes/twice", { uri: "/twice", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/twice");
    const { page } = visit;
    const name = page.getByRole("textbox", { name: "name", exact: true }).first();
    await name.fill("first");
    await visit.save();
    const live = page.getByText(/^Live, generation/);
    const before = await live.textContent();
    await name.fill("second");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const stored = async () => (await harness.gateway.call("GET", "/routes/twice")).json["value"];
    await expect.poll(stored).toMatchObject({ name: "second" });
    await expect
      .poll(async () => (await live.allTextContents()).filter((text) => text !== before).length)
      .toBe(1);
    expect(await page.getByRole("button", { name: "Undo" }).count()).toBe(1);
    await page.getByRole("button", { name: "Undo" }).click();
    await expect.poll(stored).toMatchObject({ name: "first" });
  });
});
