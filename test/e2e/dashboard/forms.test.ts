import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

describe.skipIf(WITHOUT_BROWSER)("dashboard forms", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open();
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  /** Opens the settings of a plugin on a route's page. */
  async function opened(name: string, settings: Record<string, unknown>) {
    const route = { uri: `/${name}`, upstream: UPSTREAM, plugins: { [name]: settings } };
    expect((await harness.gateway.call("PUT", `/routes/${name}`, route)).status).toBeLessThan(300);
    visit = await harness.signedIn(`/gw/ui/routes/${name}`);
    await visit.page
      .getByRole("button", { name: `Edit ${name}` })
      .first()
      .click();
    return visit.page.getByRole("dialog");
  }

  it("a plugin form shows defaults of switches and lists, and what its choices mean", async () => {
    const dialog = await opened("captcha", { site_key: "site-1234", api_key: "secret-1" });
    await dialog.getByPlaceholder("POST, PUT, PATCH, DELETE").waitFor();
    expect(await dialog.getByRole("switch", { name: "strip_field" }).isChecked()).toBe(true);
    await dialog.getByText("Methods of requests that need a token; other requests pass.").waitFor();
    await dialog.getByRole("switch", { name: "strip_field" }).click({ force: true });
    await dialog.getByRole("button", { name: "Use these settings" }).click();
    await visit.save();
    const { json } = await harness.gateway.call("GET", "/routes/captcha");
    expect(json).toMatchObject({ value: { plugins: { captcha: { strip_field: false } } } });
  });

  it("a plugin form offers no deprecated field and retains one that is set", async () => {
    const brokers = [{ host: "127.0.0.1", port: 9 }];
    const fresh = await opened("broker-logger", { brokers, broker_topic: "access" });
    await fresh.getByRole("textbox", { name: /^broker_topic/ }).waitFor();
    expect(await fresh.getByText("broker_list", { exact: true }).count()).toBe(0);
    await visit.close();
    const old = await opened("broker-logger", { broker_list: { "127.0.0.1": 9 }, broker_topic: "access" });
    await old.getByText("broker_list", { exact: true }).waitFor();
  });

  it("Save and the findings remain visible on a long form, and so does a rejection", async () => {
    await harness.gateway.call("PUT", "/routes/long", { uri: "/long", upstream: UPSTREAM });
    visit = await harness.signedIn("/gw/ui/routes/long");
    const { page } = visit;
    await page.locator(".rjsf").waitFor();
    await page.getByRole("button", { name: "Add plugin" }).click();
    await page.getByRole("dialog").getByText("captcha", { exact: true }).click();
    await page.getByRole("button", { name: "Use these settings" }).click();
    await page.getByText(/needs "site_key"/).waitFor();
    const seen = (text: string) => `{
      const { top, bottom } = document.evaluate("//*[text()='${text}']", document, null, 9).singleNodeValue.getBoundingClientRect();
      top >= 48 && bottom <= innerHeight;
    }`;
    expect(await page.evaluate("scrollY")).toBeGreaterThan(200);
    expect(await page.evaluate(seen("Findings: 2"))).toBe(true);
    expect(await page.evaluate(seen("Save"))).toBe(true);
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Refused, nothing has changed").waitFor();
    await expect.poll(() => page.evaluate(seen("Refused, nothing has changed"))).toBe(true);
  });

  it("a filter from the regex tester can be pasted and is added to the existing settings", async () => {
    const filters = [{ regex: "a", replace: "b" }];
    const dialog = await opened("response-rewrite", { status_code: 201, filters });
    await dialog.getByRole("tab", { name: "JSON object" }).click();
    await dialog.getByText(/can be pasted too/).waitFor();
    await visit.paste(
      "[role=dialog] .cm-content",
      'response-rewrite:\n  filters:\n    - regex: \\d{16}\n      replace: "****"\n      scope: global\n',
    );
    await dialog.getByRole("button", { name: "Use these settings" }).click();
    await visit.save();
    const masked = { regex: "\\d{16}", replace: "****", scope: "global" };
    const { json } = await harness.gateway.call("GET", "/routes/response-rewrite");
    expect(json).toMatchObject({
      value: { plugins: { "response-rewrite": { status_code: 201, filters: [...filters, masked] } } },
    });
  });
});
