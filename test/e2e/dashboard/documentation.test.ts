import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { packageFiles, writeFiles } from "../../support/plugin-package.js";
import { UPSTREAM } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const HOSTILE = `# hostile

<script>window.taken = 1</script>
<img src="x" onerror="window.taken = 2">

Read [more](https://docs.test/hostile), [this](javascript:alert(1)), [below](#limits) and ![drawn](https://evil.test/a.png).

| a | b |
|---|---|
| <b onmouseover="window.taken = 3">left</b> | \`right\` |

## Limits

The end. As [syslog](../syslog/README.md#the-message) has it.
`;

describe.skipIf(WITHOUT_BROWSER)("documentation of plugins", () => {
  let packages: string;
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    packages = mkdtempSync(join(tmpdir(), "gwc-packages-"));
    writeFiles(join(packages, "hostile"), packageFiles("hostile", { "README.md": HOSTILE }));
    writeFiles(join(packages, "silent"), packageFiles("silent"));
    const names = ["hostile", "silent"].map((name) => `../${basename(packages)}/${name}`);
    harness = await DashboardHarness.open(`plugins: ${JSON.stringify(names)}\n`);
    const plugins = { "response-rewrite": { status_code: 201 }, silent: { value: "a" } };
    await harness.gateway.call("PUT", "/routes/shop", { uri: "/shop", upstream: UPSTREAM, plugins });
  });
  afterAll(async () => {
    await harness?.close();
    rmSync(packages, { recursive: true, force: true });
  });
  afterEach(() => visit.close());

  const open = async (path: string) => {
    visit = await harness.signedIn(path);
    return visit.page;
  };

  it("documentation opens next to edited settings, with table and example, and Escape closes it first", async () => {
    const page = await open("/gw/ui/routes/shop");
    await page.getByRole("button", { name: "Edit response-rewrite" }).first().click();
    const settings = page.getByRole("dialog", { name: "Settings of response-rewrite" });
    const status = settings.getByRole("textbox", { name: "status_code" });
    await status.focus();
    await page.keyboard.press("F1");
    const documentation = page.getByRole("complementary", { name: "Documentation of response-rewrite" });
    await documentation.getByRole("heading", { name: "Example" }).waitFor();
    await documentation.getByRole("cell", { name: "on_oversize", exact: true }).waitFor();
    await documentation.getByText("X-Internal-Service").waitFor();
    expect(await documentation.getByText("<!--").count()).toBe(0);
    await status.fill("202");
    expect(await axeViolationsIn(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await documentation.waitFor({ state: "detached" });
    expect(await status.inputValue()).toBe("202");
    await settings.getByRole("button", { name: "Use these settings" }).click();
    await page.getByText('{"status_code":202}').waitFor();
  });

  it("documentation opens by keyboard from a resource's plugins and from the choice of a plugin", async () => {
    const page = await open("/gw/ui/routes/shop");
    const button = page.getByRole("button", { name: "Documentation of response-rewrite" }).first();
    await button.focus();
    await page.keyboard.press("Enter");
    const documentation = page.getByRole("complementary", { name: "Documentation of response-rewrite" });
    await documentation.getByRole("heading", { name: "Body" }).waitFor();
    await page.keyboard.press("Escape");
    await documentation.waitFor({ state: "detached" });
    expect(await page.evaluate("document.activeElement.getAttribute('aria-label')")).toBe(
      "Documentation of response-rewrite",
    );
    await page.getByRole("button", { name: "Add plugin" }).click();
    const choice = page.getByRole("dialog", { name: "Add a plugin" });
    await choice.getByRole("button", { name: /^syslog.*sends a record afterwards/s }).waitFor();
    await choice.getByRole("button", { name: /^captcha.*may wait for another machine/s }).waitFor();
    await choice.getByRole("button", { name: "Documentation of syslog" }).press("Enter");
    const other = page.getByRole("complementary", { name: "Documentation of syslog" });
    await other.getByRole("heading", { name: "The message" }).waitFor();
    await page.keyboard.press("Escape");
    await other.waitFor({ state: "detached" });
    expect(await choice.isVisible()).toBe(true);
  });

  it("the URL of the plugins page names the open documentation, whose links lead to other plugins", async () => {
    const page = await open("/gw/ui/plugins?documentation=hostile");
    const documentation = page.getByRole("complementary", { name: "Documentation of hostile" });
    await documentation.getByRole("button", { name: "syslog", exact: true }).click();
    await page.getByRole("complementary", { name: "Documentation of syslog" }).waitFor();
    expect(page.url()).toContain("documentation=syslog");
  });

  it("the README of a package is shown as text: its HTML never becomes part of the page", async () => {
    const page = await open("/gw/ui/plugins?documentation=hostile");
    const documentation = page.getByRole("complementary", { name: "Documentation of hostile" });
    await documentation.getByText("The end.").waitFor();
    expect(await documentation.locator("script, img, b, [onerror], [onmouseover]").count()).toBe(0);
    expect(await page.evaluate("window.taken")).toBeUndefined();
    const links = await documentation
      .getByRole("link")
      .evaluateAll((found) => found.map((one) => one.outerHTML));
    expect(links).toHaveLength(1);
    expect(links[0]).toContain('href="https://docs.test/hostile"');
    expect(links[0]).toContain('rel="noopener noreferrer"');
    await documentation.getByRole("button", { name: "below" }).click();
    expect(await page.evaluate("document.activeElement.textContent")).toBe("Limits");
    // The table of the schema, since the README has none.
    await documentation.getByRole("cell", { name: "value", exact: true }).waitFor();
  });

  it("a package without a README shows the settings of its schema", async () => {
    const page = await open("/gw/ui/plugins?documentation=silent");
    const documentation = page.getByRole("complementary", { name: "Documentation of silent" });
    await documentation.getByText("Its package has no README.").waitFor();
    await documentation.getByRole("cell", { name: "value", exact: true }).waitFor();
  });

  it("the API returns a plugin's README, and nothing for a path outside of the plugins", async () => {
    visit = await harness.visit();
    const { json } = await harness.gateway.call("GET", "/plugins/syslog/readme");
    expect(json["readme"]).toBe(readFileSync("plugins/syslog/README.md", "utf8"));
    const absent = await harness.gateway.call("GET", "/plugins/..%2f..%2fpackage/readme");
    expect(absent.status).toBe(404);
  });
});
