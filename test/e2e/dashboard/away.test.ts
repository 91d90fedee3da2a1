import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser, WITHOUT_BROWSER } from "../../support/browser.js";
import { until } from "../../support/patience.js";
import { ProcessGateway } from "../process/gateway.js";
import { openVisit, type Visit } from "./harness.js";

const ASSETS = fileURLToPath(new URL("../../../.build/runtime/dashboard/pages/assets/", import.meta.url));

describe.skipIf(WITHOUT_BROWSER)("the dashboard of an unavailable gateway", () => {
  let gateway: ProcessGateway;
  let browser: Browser;
  let visit: Visit;
  beforeAll(async () => {
    gateway = await ProcessGateway.start({ routes: [] });
    const route = { uri: "/kept", upstream: { nodes: { "127.0.0.1:9": 1 } } };
    await gateway.admin("PUT", "/routes/kept", route);
    browser = await launchBrowser();
  });
  afterAll(async () => {
    await browser?.close();
    await gateway?.end();
  });
  afterEach(() => visit.close());

  async function open(path: string): Promise<Visit> {
    visit = await openVisit(browser, `http://127.0.0.1:${gateway.adminPort}/gw/ui${path}`);
    await visit.signIn(ProcessGateway.KEY);
    return visit;
  }
  const back = () => until(() => gateway.ready().catch(() => false));
  const killControl = () => process.kill(gateway.child("control"), "SIGKILL");

  it("typed text outlives a crash of control: the page reports that nothing was saved, then saves it", async () => {
    const { page } = await open("/routes/kept");
    await page.getByRole("textbox", { name: "name", exact: true }).first().fill("typed before");
    // The page must not reach control, which the launcher restarts at once.
    await page.route("**/gw/admin/routes/kept", (route) => route.abort("connectionrefused"));
    killControl();
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.getByText("Not saved").waitFor();
    await page.getByText("The gateway does not answer.").first().waitFor();
    await page.unroute("**/gw/admin/routes/kept");
    await back();
    expect(await page.getByRole("textbox", { name: "name", exact: true }).first().inputValue()).toBe(
      "typed before",
    );
    await visit.save();
    const { json } = await gateway.admin("GET", "/routes/kept");
    expect((json["value"] as { name: string }).name).toBe("typed before");
  });

  it("the dashboard loads the code of all parts after the first page, except other languages", async () => {
    const { page } = await open("");
    const built = readdirSync(ASSETS).filter((name) => name.endsWith(".js") && !/^(?:en|ru)-/.test(name));
    const missing = async () => {
      const urls = await page.evaluate('performance.getEntriesByType("resource").map(({ name }) => name)');
      return built.filter((name) => !(urls as string[]).some((url) => url.endsWith(name)));
    };
    await expect.poll(missing).toEqual([]);
  });

  const CODE = /\/history-[^/]*\.js$/;
  const SESSION = "**/gw/admin/session";

  it("the dashboard waits for the code of a page until the gateway is back, and retains its key", async () => {
    const { page } = await open("");
    await page.route(CODE, (route) => route.abort("connectionrefused"));
    await page.getByText("Nothing needs attention.").waitFor();
    await page.route(SESSION, (route) => route.abort("connectionrefused"));
    await page.getByRole("navigation").getByRole("link", { name: "History" }).click();
    await page
      .getByRole("status")
      .filter({ hasText: /^No answer since/ })
      .waitFor();
    await page.unroute(CODE);
    await page.unroute(SESSION);
    await page.getByRole("heading", { name: "History", level: 1 }).waitFor();
    await page
      .getByRole("button", { name: /routes\/kept/ })
      .first()
      .waitFor();
  });

  it("the dashboard reports an update if the gateway no longer has the code of a page", async () => {
    const { page } = await open("");
    await page.route(CODE, (route) => route.fulfill({ status: 404 }));
    await page.getByText("Nothing needs attention.").waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "History" }).click();
    await page.getByText("The gateway does not have this part of the interface any more").waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Routes" }).click();
    await page.getByRole("link", { name: "kept" }).waitFor();
  });

  it("the dashboard continues with its key after control was killed and after the gateway was restarted", async () => {
    const { page } = await open("");
    const shown = page.getByText(/^generation \d+, 2 of 2 workers$/);
    await shown.waitFor();
    await page.getByText("Nothing needs attention.").waitFor();
    killControl();
    await back();
    await page.getByRole("navigation").getByRole("link", { name: "Routes" }).click();
    await page.getByRole("link", { name: "kept" }).waitFor();
    await gateway.stop();
    await page.getByRole("navigation").getByRole("link", { name: "History" }).click();
    const away = page.getByRole("status").filter({ hasText: /^No answer since \d\d:\d\d/ });
    await away.waitFor();
    await gateway.open();
    await away.waitFor({ state: "detached" });
    await page
      .getByRole("button", { name: /routes\/kept/ })
      .first()
      .waitFor();
    await page.getByRole("navigation").getByRole("link", { name: "Overview" }).click();
    await shown.waitFor();
  });
});
