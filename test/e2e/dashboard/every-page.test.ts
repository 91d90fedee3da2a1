import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../support/browser.js";
import { SECTION } from "../captcha/captcha-admin.js";
import { ADMIN_KEY, UPSTREAM, VIEWER_KEY } from "../control/admin.js";
import { DashboardHarness, type Visit } from "./harness.js";

interface Page {
  path: string;
  /** First heading, in English and in Russian. */
  headings: readonly [string, string];
  /** True if the page requests its content at once, false if it waits for input. */
  asks: boolean;
}

const page = (path: string, en: string, ru: string, asks = true): Page => ({
  path: `/gw/ui${path}`,
  headings: [en, ru],
  asks,
});

const PAGES: readonly Page[] = [
  page("", "Overview", "Обзор"),
  page("/routes", "Routes", "Маршруты"),
  page("/services", "Services", "Сервисы"),
  page("/upstreams", "Upstreams", "Апстримы"),
  page("/plugin_configs", "Plugin configurations", "Конфигурации плагинов"),
  page("/plugins", "Plugins", "Плагины"),
  page("/plugin_metadata", "Plugin metadata", "Метаданные плагинов"),
  page("/global_rules", "Global rules", "Глобальные правила"),
  page("/consumers", "Consumers", "Потребители"),
  page("/ssls", "Certificates", "Сертификаты"),
  page("/plugin/captcha", "Captcha", "Капча"),
  page("/logs", "Logs", "Журналы"),
  page("/which-route", "Which route?", "Какой маршрут?", false),
  page("/trace", "Trace", "Трассировка", false),
  page("/sandbox", "Regex tester", "Тестер regex", false),
  page("/history", "History", "История"),
  page("/routes/shop", "shop", "shop"),
  page("/upstreams/nodes", "nodes", "nodes"),
  page("/module/routes/shop", "Generated module of shop", "Сгенерированный модуль shop"),
];
const NOWHERE = "/gw/ui/no-such-page/at/all";
const ASKING = PAGES.filter(({ asks }) => asks);

/** Markup that would change the title or the page if it were not shown as text. */
const HOSTILE = `"><img src=x onerror="document.title='run'"><script>document.title='run'</script>`;
/** Markup without blanks, as labels require. */
const LABELS = { team: `"><svg/onload="document.title='run'">` };
/** Secret that only its header's name reveals. */
const NAMED = "a-named-key-that-nobody-may-see";
/** Calls of the admin API except the session, without which nobody is signed in. */
const CALLS = /\/gw\/admin\/(?!session)/;
/** Names of buttons and links that change something. */
const CHANGES = /^(Add|Save|Delete|Purge|Arm|Attach|Revoke|Restore|Take it back|Put back|Enable|Disable)\b/;

describe.skipIf(WITHOUT_BROWSER)("every dashboard page", () => {
  let harness: DashboardHarness;
  let visit: Visit;
  beforeAll(async () => {
    harness = await DashboardHarness.open(SECTION);
    const set = { "X-Hostile": HOSTILE, "X-Api-Key": NAMED };
    const plugins = { "response-rewrite": { headers: { set }, body: HOSTILE } };
    const told = { name: HOSTILE, desc: HOSTILE, labels: LABELS };
    const put = async (path: string, value: object) => {
      const { status, text } = await harness.gateway.call(
        "PUT",
        `${path}?note=${encodeURIComponent(HOSTILE)}`,
        value,
      );
      expect([200, 201], text).toContain(status);
    };
    await put("/upstreams/nodes", { ...told, ...UPSTREAM });
    await put("/services/all", { ...told, upstream_id: "nodes" });
    await put("/plugin_configs/shared", { desc: HOSTILE, labels: LABELS, plugins });
    await put("/routes/shop", { ...told, uri: "/shop", plugins, service_id: "all" });
    await put("/global_rules/all", { plugins });
    await put("/consumers/jack", {
      ...{ username: "jack", desc: HOSTILE, labels: LABELS },
      plugins: { "key-auth": { key: "a-key-that-nobody-may-see" } },
    });
    const logger = { host: "127.0.0.1", port: 9, log_format: { said: HOSTILE } };
    await put("/routes/logged", { uri: "/logged", upstream_id: "nodes", plugins: { syslog: logger } });
    await put("/captcha/customers/shop", { desc: HOSTILE, labels: LABELS });
  });
  afterAll(() => harness?.close());
  afterEach(() => visit.close());

  const heading = (name: string) => visit.page.getByRole("heading", { name, level: 1, exact: true });
  /** Signs in on a page that requests nothing. @param before runs first, since other pages are prefetched */
  async function begin(
    key?: string,
    locale = "en-GB",
    before: () => Promise<unknown> = async () => {},
  ): Promise<void> {
    visit = await harness.visit(NOWHERE, { locale });
    await before();
    const label = locale === "en-GB" ? "Admin key" : "Ключ администратора";
    await visit.write(visit.page.getByLabel(label), key ?? ADMIN_KEY);
    await visit.page.keyboard.press("Enter");
    await visit.page.getByRole("navigation").first().waitFor();
  }

  it("every page shows a skeleton until the gateway responds, then its content", async () => {
    let answer = () => {};
    const held = new Promise<void>((resolve) => {
      answer = resolve;
    });
    await begin(undefined, undefined, () =>
      visit.page.route(CALLS, (route) => held.then(() => route.continue()).catch(() => {})),
    );
    for (const { path } of ASKING) {
      const busy = visit.page.locator('main [aria-busy="true"]');
      // An empty page in between, so that the skeleton is not that of the previous page.
      await visit.go(NOWHERE);
      await expect.poll(() => busy.count(), { message: path }).toBe(0);
      await visit.go(path);
      await expect.poll(() => busy.count(), { message: path }).toBeGreaterThan(0);
    }
    answer();
    for (const { path, headings } of ASKING) {
      await visit.go(path);
      await heading(headings[0]).waitFor();
      await expect
        .poll(() => visit.page.locator('main [aria-busy="true"]').count(), { message: path })
        .toBe(0);
    }
  });

  it('every page shows the error of the gateway, and its content after "Try again"', async () => {
    const refusal = { status: 503, json: { error_msg: "the disk is full" } };
    await begin(undefined, undefined, () => visit.page.route(CALLS, (route) => route.fulfill(refusal)));
    const { page } = visit;
    const alert = page.getByRole("main").getByRole("alert").filter({ hasText: "the disk is full" });
    for (const { path } of ASKING) {
      await visit.go(path);
      await alert.first().waitFor();
    }
    // Only this page requests the history.
    await visit.go("/gw/ui/history");
    await alert.first().waitFor();
    await page.unroute(CALLS);
    await alert.first().getByRole("button", { name: "Try again" }).click();
    await alert.first().waitFor({ state: "detached" });
    for (const { path, headings } of ASKING) {
      await visit.go(path);
      await heading(headings[0]).waitFor();
      await expect.poll(() => alert.count(), { message: path }).toBe(0);
    }
  });

  it("every page offers a viewer no change and shows no secret", async () => {
    await begin(VIEWER_KEY);
    const { page } = visit;
    for (const { path, headings } of PAGES) {
      await visit.go(path);
      await heading(headings[0]).waitFor();
      await expect.poll(() => page.locator('main [aria-busy="true"]').count(), { message: path }).toBe(0);
      const main = page.getByRole("main");
      const offered = [
        ...(await main.getByRole("button", { name: CHANGES, disabled: false }).allInnerTexts()),
        ...(await main.getByRole("link", { name: CHANGES }).allInnerTexts()),
      ];
      expect(offered, path).toEqual([]);
      const content = await page.content();
      for (const secret of ["a-key-that-nobody-may-see", NAMED]) expect(content, path).not.toContain(secret);
    }
  });

  it("every page has a Russian heading and no untranslated text", async () => {
    await begin(undefined, "ru-RU");
    for (const { path, headings } of PAGES) {
      await visit.go(path);
      await heading(headings[1]).waitFor();
      await expect
        .poll(() => visit.page.locator('main [aria-busy="true"]').count(), { message: path })
        .toBe(0);
      // A missing translation shows its key.
      expect(await visit.page.getByText(/^[a-z_]+(\.[a-z_]+)+$/).count(), path).toBe(0);
    }
  });

  it("every page shows stored markup as text, and its responses contain no secret", async () => {
    await begin();
    const { page: tab } = visit;
    const frames: string[] = [];
    tab.on("response", async (response) => {
      if (response.url().includes("/gw/admin/")) frames.push(await response.text().catch(() => ""));
    });
    const asked = page("/which-route?url=%2Fshop%2F%3Cb%3E", "Which route?", "Какой маршрут?");
    for (const { path, headings } of [...PAGES, asked, ...tabs("/routes/shop"), ...tabs("/consumers/jack")]) {
      await visit.go(path);
      await heading(headings[0]).waitFor();
      await expect.poll(() => tab.locator('main [aria-busy="true"]').count(), { message: path }).toBe(0);
      expect(await tab.title(), path).toMatch(/ · gwc$/);
      expect(await tab.locator("img[src=x], main script, svg[onload]").count(), path).toBe(0);
    }
    expect(frames.length).toBeGreaterThan(PAGES.length / 2);
    for (const secret of ["a-key-that-nobody-may-see", NAMED])
      expect(frames.join("\n")).not.toContain(secret);
  });
});

const tabs = (path: string): Page[] =>
  ["form", "yaml", "json"].map((tab) => {
    const name = path.slice(path.lastIndexOf("/") + 1);
    return page(`${path}?tab=${tab}`, name, name);
  });
