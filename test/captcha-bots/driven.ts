import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { type HostSite, startHostSite } from "../e2e/captcha/browser/host-page.js";
import { launchBrowser } from "../support/browser.js";
import { browserCpu, type Loot, looted, networkOf, type Outcome } from "./loot.js";
import type { Target } from "./raid.js";

/** A browser that a program drives: it opens a page with the widget, ticks and records the outcome. */
export interface DrivenBrowser {
  name: string;
  raid(target: Target, sessions: number): Promise<Loot>;
  close(): Promise<void>;
}

/**
 * Edits of a guide to hiding automation: flags, user agent, missing features of headless mode, hand movement.
 */
const STEALTH = {
  args: ["--disable-blink-features=AutomationControlled", "--window-size=1366,768"],
  ignoreDefaultArgs: ["--enable-automation"],
  context: { locale: "ru-RU", timezoneId: "Europe/Moscow", viewport: { width: 1366, height: 657 } },
  script: `
    Object.defineProperty(Navigator.prototype, "webdriver", { get: () => false });
    window.chrome ??= { runtime: {} };
    const query = Permissions.prototype.query;
    Permissions.prototype.query = function (asked) {
      return asked?.name === "notifications" ? Promise.resolve({ state: "prompt", onchange: null }) : query.call(this, asked);
    };`,
} as const;

const userAgentOf = async (browser: Browser): Promise<string> => {
  const page = await browser.newPage();
  const name = await page.evaluate("navigator.userAgent");
  await page.close();
  return String(name).replace("Headless", "");
};

/** Timeout of a session in ms, after which it counts as one without a result. */
const PATIENCE_MS = 20_000;

/** Headless Chromium without changes. */
export async function plainChromium(): Promise<DrivenBrowser> {
  return driven("headless Chromium, as it comes", await launchBrowser(), {}, async (page) => {
    await checkbox(page).click();
  });
}

/** Headless Chromium with the usual edits and hand-like movement. */
export async function stealthChromium(): Promise<DrivenBrowser> {
  const { args, ignoreDefaultArgs, context, script } = STEALTH;
  const browser = await launchBrowser({ args: [...args], ignoreDefaultArgs: [...ignoreDefaultArgs] });
  const options = { ...context, userAgent: await userAgentOf(browser) };
  return driven(
    "headless Chromium with stealth edits",
    browser,
    options,
    async (page) => {
      await checkbox(page).waitFor();
      await moveThere(page);
      await page.mouse.down();
      await page.waitForTimeout(40 + Math.random() * 60);
      await page.mouse.up();
    },
    script,
  );
}

const checkbox = (page: Page) =>
  page.locator(".sp-captcha iframe").first().contentFrame().getByRole("checkbox");

/** Moves along a bent path, slower at its end, to a place off the middle of the box. */
async function moveThere(page: Page): Promise<void> {
  const place = await checkbox(page).boundingBox();
  if (place === null) throw new Error("the box has no place");
  const [from, bend] = [
    { x: 300 + Math.random() * 500, y: 250 + Math.random() * 300 },
    Math.random() * 80 - 40,
  ];
  const to = {
    x: place.x + place.width * (0.3 + Math.random() * 0.4),
    y: place.y + place.height * (0.3 + Math.random() * 0.4),
  };
  const steps = 30 + Math.floor(Math.random() * 20);
  for (let i = 1; i <= steps; i++) {
    const done = 1 - (1 - i / steps) ** 2;
    const off = Math.sin(done * Math.PI) * bend + Math.random() - 0.5;
    await page.mouse.move(from.x + (to.x - from.x) * done + off, from.y + (to.y - from.y) * done + off);
    await page.waitForTimeout(8 + Math.random() * 12);
  }
}

async function driven(
  name: string,
  browser: Browser,
  options: BrowserContextOptions,
  tick: (page: Page) => Promise<void>,
  script?: string,
): Promise<DrivenBrowser> {
  const otherCpu = await browserCpu(browser);
  let site: HostSite | undefined;
  return {
    name,
    async raid(target, sessions) {
      site ??= await startHostSite(target.url, "localhost");
      const body = `<h1>Sign up</h1><div class="sp-captcha" data-sitekey="${target.siteKey}" data-response-field></div>`;
      const page = site.page({ body });
      return looted(sessions, otherCpu, async (n) => {
        const context = await browser.newContext({
          ...options,
          extraHTTPHeaders: { "X-Forwarded-For": networkOf(n, 96) },
        });
        if (script !== undefined) await context.addInitScript(script);
        const found = await outcome(await context.newPage(), page, tick);
        await context.close();
        return found;
      });
    },
    async close() {
      await site?.close();
      await browser.close();
    },
  };
}

async function outcome(page: Page, url: string, tick: (page: Page) => Promise<void>): Promise<Outcome> {
  const scored = page.waitForResponse((response) => response.url().endsWith("/api/v1/score"), {
    timeout: PATIENCE_MS,
  });
  await page.goto(url);
  await tick(page);
  const response = await scored.catch(() => undefined);
  if (response?.ok() !== true) return "refused";
  const { outcome } = (await response.json()) as { outcome: string };
  return outcome === "token" ? "tokens" : "tasks";
}
