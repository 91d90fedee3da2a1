import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("the form of a new resource", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open();
    await harness.gateway.call("PUT", "/upstreams/shared", UPSTREAM);
    await harness.gateway.call("PUT", "/services/common", { upstream_id: "shared" });
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  const save = () => visit.page.getByRole("button", { name: "Save", exact: true });
  const stored = async (id: string) => (await harness.gateway.call("GET", `/routes/${id}`)).json["value"];

  it("a new route starts with required fields marked, no finding and a disabled Save", async () => {
    visit = await harness.signedIn("/gw/ui/new/routes");
    const { page } = visit;
    const uri = page.getByRole("textbox", { name: "uri", exact: true });
    await uri.waitFor();
    expect(await uri.inputValue()).toBe("");
    expect(await uri.getAttribute("required")).not.toBeNull();
    await page.getByText("What the compiler says stands here once something is entered").waitFor();
    expect(await page.getByText(/GW\d{4}/).count()).toBe(0);
    expect(await save().isDisabled()).toBe(true);
    await uri.fill("no-slash");
    await page
      .getByText(/GW\d{4}/)
      .first()
      .waitFor();
  });

  it("a new route has one choice of its upstream, and each choice removes the others", async () => {
    visit = await harness.signedIn("/gw/ui/new/routes");
    const { page } = visit;
    await page.getByLabel("Id", { exact: true }).fill("routed");
    await page.getByRole("textbox", { name: "uri", exact: true }).fill("/routed");
    const where = page.getByRole("radiogroup", { name: "Where requests go" });
    expect(await where.getByRole("radio", { checked: true }).count()).toBe(0);
    expect(await page.getByRole("combobox", { name: /^upstream_id/ }).count()).toBe(0);
    await where.getByRole("radio", { name: "Own nodes" }).click();
    await page.getByRole("button", { name: "Add to nodes" }).click();
    await page.getByLabel("nodes, name 1").fill(Object.keys(UPSTREAM.nodes)[0] ?? "");
    await where.getByRole("radio", { name: "An upstream" }).click();
    expect(await page.getByLabel("nodes, name 1").count()).toBe(0);
    await page.getByRole("combobox", { name: /^upstream_id/ }).fill("shared");
    await visit.save();
    const route = await stored("routed");
    expect(route).toMatchObject({ uri: "/routed", upstream_id: "shared" });
    expect(route).not.toHaveProperty("upstream");
    await where.getByRole("radio", { name: "A service" }).click();
    await page.getByRole("combobox", { name: /^service_id/ }).fill("common");
    await visit.save();
    expect(await stored("routed")).toMatchObject({ service_id: "common" });
    expect(await stored("routed")).not.toHaveProperty("upstream_id");
  });

  it("Save remains visible on a long form", async () => {
    visit = await harness.signedIn("/gw/ui/new/routes");
    const { page } = visit;
    await page.getByRole("radio", { name: "Own nodes" }).click();
    for (const more of await page.getByText(/more fields$/).all()) await more.click();
    await expect
      .poll(() => page.evaluate("scrollTo(0, document.body.scrollHeight), scrollY"))
      .toBeGreaterThan(200);
    const rail = page.getByRole("navigation").getByRole("link", { name: "Routes" });
    expect(await rail.getAttribute("aria-current")).toBe("page");
    const box = await save().boundingBox();
    expect(box?.y).toBeGreaterThan(0);
    expect(box?.y).toBeLessThan(200);
  });

  it("hash_on is shown only for an upstream of type chash", async () => {
    visit = await harness.signedIn("/gw/ui/new/upstreams");
    const { page } = visit;
    await page
      .getByText(/more fields$/)
      .first()
      .click();
    await page.getByLabel("retry_timeout").waitFor();
    expect(await page.getByLabel("hash_on").count()).toBe(0);
    await page.getByRole("combobox", { name: "type" }).click();
    await page.getByRole("option", { name: "chash" }).click();
    await page.getByRole("combobox", { name: "hash_on" }).waitFor();
  });
});
