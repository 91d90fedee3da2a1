import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { axeViolationsIn } from "../../support/axe.js";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { tokenFrom } from "../../support/captcha-visitor.js";
import { SECTION } from "../captcha/captcha-admin.js";
import { exchange, VIEWER_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

const run = promisify(execFile);
const PAGE = "/gw/ui/plugin/captcha";
const KEY = /^spk_[A-Za-z0-9]{8}_[A-Za-z0-9_-]{43}_[0-9a-f]{6}$/;
const HOSTILE = `"><img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`;
const ROUTE = { uri: "/signup", upstream: { nodes: { "127.0.0.1:9": 1 } } };
const FILES = `captcha_customers:
  - id: filed
captcha_site_keys:
  - { id: sk_of_the_file, customer: filed, hostnames: [example.com], challenge_mode: always }
captcha_api_keys:
  - { id: filedkey, customer: filed, key: spk_filedkey_${"A".repeat(43)}_5511d0 }
`;

describe.skipIf(WITHOUT_BROWSER)("the captcha page without a configured captcha", () => {
  it("the captcha page explains that no captcha is configured and how to add one", async () => {
    const harness = await DashboardHarness.open();
    const visit = await harness.signedIn(PAGE);
    const { page } = visit;
    await page.getByText("No captcha is configured").waitFor();
    await page.getByText("url: https://captcha.example.com").waitFor();
    await page.getByText("gwc captcha init --hostname example.com").waitFor();
    expect(await page.getByRole("button", { name: "Add customer" }).count()).toBe(0);
    expect(await axeViolationsIn(page)).toEqual([]);
    await visit.close();
    await harness.close();
  });
});

describe.skipIf(WITHOUT_BROWSER)("the captcha page", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(SECTION + FILES);
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  const captchaPort = () => harness.gateway.gateway.addresses["captcha"]?.[0]?.port ?? 0;
  const url = () => `http://127.0.0.1:${captchaPort()}`;
  const verify = (siteKey: string, token: string, apiKey: string) =>
    exchange(captchaPort(), "GET", `/${siteKey}/verify?jwt=${token}`, undefined, { "X-Api-Key": apiKey });
  const customer = (id: string) => visit.page.getByRole("region", { name: `Customer ${id}` });
  const call = (method: string, path: string, body?: unknown) =>
    harness.gateway.call(method, `/captcha/${path}`, body);

  let made = "";

  it("a customer, a site key and an API key are made, and the API key is shown only once", async () => {
    visit = await harness.signedIn("/gw/ui/routes");
    const { page } = visit;
    await page.getByRole("heading", { name: "Routes", level: 1 }).waitFor();
    await page.keyboard.press("g");
    await page.keyboard.press("k");
    await page.getByRole("heading", { name: "Captcha", level: 1 }).waitFor();
    await page.getByRole("button", { name: "Add customer" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("textbox", { name: "Id" }).fill("shop");
    await dialog.getByRole("button", { name: "Add customer" }).click();
    await customer("shop").getByText("No site key: no page can show the widget.").waitFor();

    await customer("shop").getByRole("button", { name: "Add site key for shop" }).click();
    await dialog.getByRole("textbox", { name: "Id" }).fill("sk_shop_front");
    await dialog.getByText(/GW2/).first().waitFor();
    await dialog
      .getByLabel(/^hostnames/)
      .first()
      .click();
    await page.keyboard.type("localhost");
    await page.keyboard.press("Enter");
    await dialog.getByText("The compiler has nothing to say.").waitFor();
    await dialog.getByRole("button", { name: "Add site key", exact: true }).click();
    await dialog.getByText('data-sitekey="sk_shop_front"').waitFor();
    await dialog.getByRole("button", { name: "Close" }).click();
    await dialog.waitFor({ state: "detached" });
    await customer("shop").getByRole("button", { name: "sk_shop_front", exact: true }).waitFor();
    expect(
      (await call("PATCH", "site-keys/sk_shop_front", { challenge_mode: "never", pow_bits: 10 })).status,
    ).toBe(200);

    await customer("shop").getByRole("button", { name: "Make API key for shop" }).click();
    await dialog.getByRole("textbox", { name: "Description" }).fill("backend of the shop");
    await dialog.getByRole("button", { name: "Make API key", exact: true }).click();
    made = await dialog.getByRole("textbox", { name: "API key" }).inputValue();
    expect(made).toMatch(KEY);
    expect(await axeViolationsIn(page)).toEqual([]);
    await page.keyboard.press("Escape");
    expect((await harness.gateway.call("PUT", "/routes/signup", ROUTE)).status).toBe(201);
    await dialog.getByRole("button", { name: "Protect a route…" }).click();
    const protecting = page.getByRole("dialog", { name: "Protect a route" });
    await protecting.getByRole("combobox", { name: "Route" }).fill("signup");
    await protecting.getByRole("button", { name: "Protect route" }).click();
    await protecting.waitFor({ state: "detached" });
    const protectedRoute = (await harness.gateway.call("GET", "/routes/signup")).json["value"];
    expect(protectedRoute).toMatchObject({ ...ROUTE, plugins: { captcha: { site_key: "sk_shop_front" } } });
    await dialog.getByRole("button", { name: "I have kept the key" }).click();
    await dialog.waitFor({ state: "detached" });
    await customer("shop").getByText(made.slice(4, 12), { exact: true }).waitFor();
    await customer("shop").getByText("backend of the shop").waitFor();
    expect(await page.content()).not.toContain(made.slice(13));
    const answers = await Promise.all(
      ["api-keys", `api-keys/${made.slice(4, 12)}`, "stats"].map((path) => call("GET", path)),
    );
    for (const { text } of answers) expect(text).not.toContain(made.slice(13, 56));
  });

  it("the captcha statistics count verifications live", async () => {
    visit = await harness.signedIn(PAGE);
    const { page } = visit;
    const row = page.getByRole("table", { name: "Statistics" }).getByRole("row", { name: /^sk_shop_front/ });
    await page.getByText(`Answers at ${url()}`).waitFor();
    const token = await tokenFrom(url(), "sk_shop_front");
    expect((await verify("sk_shop_front", token, made)).json["success"]).toBe(true);
    expect((await verify("sk_shop_front", token, made)).json["success"]).not.toBe(true);
    await row.getByText("already_used 1").waitFor();
    await expect.poll(() => row.getByRole("cell").first().innerText()).toBe("1");
    await expect.poll(() => row.getByRole("cell").nth(5).innerText()).toBe("1");
    await row.locator("canvas").waitFor();
  });

  it("a site key has a widget preview, HTML and a curl command that verifies a token", async () => {
    visit = await harness.signedIn(`${PAGE}?open=sk_shop_front`);
    const { page } = visit;
    const dialog = page.getByRole("dialog");
    await dialog.getByRole("tab", { name: "Page and backend" }).click();
    const shown = dialog.getByRole("tabpanel", { name: "Page and backend" });
    await shown.getByRole("img", { name: "Preview of the widget: Я не робот" }).waitFor();
    await shown.getByLabel("Language").selectOption("en");
    await shown.getByLabel("Theme").selectOption("dark");
    await shown.getByLabel("Size").selectOption("compact");
    await shown.getByLabel("Moment").selectOption("verified");
    const picture = shown.getByRole("img", { name: "Preview of the widget: Verified" });
    await picture.waitFor();
    const box = await picture.boundingBox();
    expect([box?.width, box?.height]).toEqual([164, 144]);
    const ground = `getComputedStyle(document.querySelector('[aria-label$="Verified"]').shadowRoot.querySelector(".box")).backgroundColor`;
    expect(await page.evaluate(ground)).toBe("rgb(27, 33, 48)");
    await shown
      .getByText(
        'data-sitekey="sk_shop_front" data-language="en" data-theme="dark" data-size="compact" data-response-field',
      )
      .waitFor();
    await shown.getByText(`<script src="${url()}/captcha.js" async defer></script>`).waitFor();
    const command = (await shown.getByText("curl --get").innerText()).trim();
    const TOKEN = await tokenFrom(url(), "sk_shop_front");
    const env = { ...process.env, TOKEN, CAPTCHA_API_KEY: made, CLIENT_ADDRESS: "127.0.0.1" };
    const { stdout } = await run("sh", ["-c", `${command} --silent`], { env });
    expect(JSON.parse(stdout)).toMatchObject({ success: true, site_key: "sk_shop_front" });
    expect(await axeViolationsIn(page)).toEqual([]);
  });

  it("[V10] the widget preview shows the operator's name as text", async () => {
    const name = "<b>Shop</b> & <i>Co</i>";
    const { status } = await call("PUT", "site-keys/sk_named_key", {
      customer: "shop",
      hostnames: ["example.com"],
      operator: { name, link: "https://example.com/contact" },
    });
    expect(status).toBe(201);
    visit = await harness.signedIn(`${PAGE}?open=sk_named_key`);
    const preview = visit.page.getByRole("img", { name: "Preview of the widget: Я не робот" }).first();
    await preview.getByText(name, { exact: true }).waitFor();
    expect(await preview.locator("svg").count()).toBe(0);
    await call("DELETE", "site-keys/sk_named_key");
  });

  it("a site key is saved only with settings that the compiler accepts", async () => {
    visit = await harness.signedIn(`${PAGE}?open=sk_shop_front`, { colorScheme: "dark" });
    const { page } = visit;
    const dialog = page.getByRole("dialog");
    const threshold = dialog.getByLabel("threshold", { exact: true });
    await visit.write(threshold, "7");
    await dialog.getByRole("alert").first().waitFor();
    expect(await axeViolationsIn(page)).toEqual([]);
    await visit.write(threshold, "0.7");
    await dialog.getByText("The compiler has nothing to say.").waitFor();
    await dialog.getByRole("button", { name: "Save site key" }).click();
    await page
      .getByText(/^Live, generation \d+$/)
      .last()
      .waitFor();
    const { json } = await call("GET", "site-keys/sk_shop_front");
    expect(json["value"]).toMatchObject({ customer: "shop", hostnames: ["localhost"], threshold: 0.7 });
  });

  it("the captcha page shows stored HTML as text and fits a phone of 390 px", async () => {
    await call("PUT", "customers/hostile", { desc: HOSTILE });
    await call("PUT", "site-keys/sk_hostile_key", {
      customer: "hostile",
      hostnames: ["example.com"],
      desc: HOSTILE,
    });
    visit = await harness.signedIn(`${PAGE}?open=sk_hostile_key`, { viewport: { width: 390, height: 844 } });
    const { page } = visit;
    await page.getByRole("dialog").getByLabel("desc", { exact: true }).waitFor();
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    await page.keyboard.press("Escape");
    await page.getByRole("dialog").waitFor({ state: "detached" });
    await customer("hostile").getByText(HOSTILE).waitFor();
    const states = page.locator(".mantine-Badge-label");
    await states.first().waitFor();
    for (const state of await states.all())
      expect(await state.evaluate((label) => label.scrollWidth <= label.clientWidth)).toBe(true);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(390);
    expect(await page.title()).toBe("Captcha · gwc");
    expect(await page.locator("img").count()).toBe(0);
  });

  it("a viewer can change nothing on the captcha page, and an admin no resources of files", async () => {
    visit = await harness.signedIn(PAGE, {}, VIEWER_KEY);
    const { page } = visit;
    await customer("shop").getByText("live").waitFor();
    await customer("filed").getByText("a task for everybody").waitFor();
    await page.getByText("A viewer key changes nothing.").waitFor();
    const writes = page.getByRole("button", { name: /^(?:Add|Make|Edit|Protect|Disable|Delete|Revoke)/ });
    for (const button of await writes.all()) expect(await button.isDisabled()).toBe(true);
    await customer("shop").getByRole("button", { name: "sk_shop_front", exact: true }).click();
    await page.getByRole("dialog").getByRole("textbox", { name: "desc" }).waitFor();
    expect(await page.getByRole("button", { name: "Save site key" }).isDisabled()).toBe(true);
    await visit.close();
    visit = await harness.signedIn(PAGE);
    const filed = customer("filed");
    await filed
      .getByText(/set in gateway\.yaml:\d+/)
      .first()
      .waitFor();
    for (const button of await filed.getByRole("button", { name: /^(?:Edit|Disable|Delete|Revoke)/ }).all())
      expect(await button.isDisabled()).toBe(true);
  });

  it("an API key is revoked and restored; key, site key and customer are deleted after a question", async () => {
    visit = await harness.signedIn(PAGE);
    const { page } = visit;
    const id = made.slice(4, 12);
    const question = page.getByRole("dialog");
    const error = async () => (await verify("sk_shop_front", "nothing", made)).json["error"];
    expect(await error()).toBe("invalid_jwt");
    await customer("shop")
      .getByRole("button", { name: `Revoke ${id}` })
      .click();
    await question.getByRole("button", { name: "Revoke" }).click();
    // The polled list may show the change before the captcha applies it; the notice comes after both.
    await page.getByText(`API key ${id} is revoked`).waitFor();
    await customer("shop").getByText("revoked").waitFor();
    expect(await error()).toBe("invalid_api_key");
    await customer("shop")
      .getByRole("button", { name: `Restore ${id}` })
      .click();
    await page.getByText(`API key ${id} is live again`).waitFor();
    await customer("shop").getByText("live").waitFor();
    expect(await error()).toBe("invalid_jwt");
    const gone = customer("shop").getByRole("button", { name: "Delete shop" });
    expect(await gone.isDisabled()).toBe(true);
    for (const each of [id, "sk_shop_front"]) {
      await customer("shop")
        .getByRole("button", { name: `Delete ${each}` })
        .click();
      await question.getByRole("button", { name: "Delete" }).click();
      await page.getByText(`${each} is deleted`).waitFor();
    }
    expect(await error()).toBe("invalid_api_key");
    await gone.click();
    await question.getByRole("button", { name: "Delete" }).click();
    await customer("shop").waitFor({ state: "detached" });
    expect((await call("GET", "customers/shop")).status).toBe(404);
  });

  it("the captcha page is shown in Russian", async () => {
    visit = await harness.visit(PAGE, { locale: "ru-RU" });
    const { page } = visit;
    await page.getByLabel("Ключ администратора").fill("admin-key-of-the-tests");
    await page.keyboard.press("Enter");
    await page.getByRole("heading", { name: "Капча", level: 1 }).waitFor();
    await page.getByRole("link", { name: "Капча" }).waitFor();
    await page.getByRole("region", { name: "Клиент filed" }).getByText("задание всем").waitFor();
  });
});
