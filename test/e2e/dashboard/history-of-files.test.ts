import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const files = (name: string) => `routes:
  - { id: shop, uri: /shop, name: ${name}, upstream: { nodes: { "127.0.0.1:9": 1 } } }
`;

describe.skipIf(WITHOUT_BROWSER)("the history of files on the dashboard", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(files("Shop"));
    await harness.gateway.call("PUT", "/routes/own", { uri: "/own", upstream: UPSTREAM });
    harness.gateway.write(files("Store"));
    await harness.gateway.gateway.reload();
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  it("the history shows a reload with file, line and diff, and no button to take it back", async () => {
    visit = await harness.signedIn("/gw/ui/history");
    const { page } = visit;
    const row = page
      .getByRole("table", { name: "History" })
      .getByRole("row")
      .filter({ hasText: "routes/shop" });
    await row.getByText("configuration files").waitFor();
    await row.getByText(/^gateway\.yaml:2:\d+$/).waitFor();
    await row.getByRole("button", { name: /^routes\/shop/ }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("+ name: Store").waitFor();
    await dialog
      .getByText(/^It is defined in gateway\.yaml:2:\d+, and the gateway writes no files\./)
      .waitFor();
    expect(await dialog.getByRole("button", { name: "Take it back" }).count()).toBe(0);
    expect(await axeViolationsIn(page)).toEqual([]);
  });

  it("the history can be limited to files or the store, and its URL contains the choice", async () => {
    visit = await harness.signedIn("/gw/ui/history?origin=store");
    const { page } = visit;
    const table = page.getByRole("table", { name: "History" });
    await table.getByText("routes/own").waitFor();
    expect(await table.getByText("routes/shop").count()).toBe(0);
    await page.getByRole("radiogroup", { name: "Where it was changed" }).getByText("Files").click();
    await table.getByText("routes/shop").waitFor();
    await table.getByText("routes/own").waitFor({ state: "detached" });
    expect(page.url()).toContain("origin=files");
    expect(await axeViolationsIn(page)).toEqual([]);
  });
});
