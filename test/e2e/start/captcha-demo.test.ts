import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { launchBrowser, WITHOUT_BROWSER } from "../../support/browser.js";
import { Keyboard } from "../captcha/browser/keyboard.js";
import { NAMES } from "../captcha/browser/task-dialog.js";
import { Visit } from "../captcha/browser/visit.js";
import { useStartedExample } from "./started-example.js";

const FORM = "http://127.0.0.1:9080/register";

const output = useStartedExample();
let browser: Browser;
beforeAll(async () => {
  browser = await launchBrowser();
});
afterAll(() => browser?.close());

const open = async (address: string): Promise<Visit> => {
  const visit = await Visit.in(await browser.newContext());
  await visit.page.goto(address);
  return visit;
};
/** Waits half a minute, or as long as 64 hashes take on a machine with other work. */
const untilVerified = (visit: Visit) =>
  expect.poll(() => visit.isVerified(), { timeout: 120_000, interval: 250 }).toBe(true);

/**
 * A browser that hides its automation is offered the way without a puzzle. It exists for people whom no task
 * suits, and this test uses it, because it cannot solve a task.
 */
async function asPerson(use: (visit: Visit) => Promise<void>): Promise<void> {
  const person = await launchBrowser({ args: ["--disable-blink-features=AutomationControlled"] });
  const version = person.version().split(".")[0];
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`;
  const visit = await Visit.in(await person.newContext({ userAgent }));
  await visit.page.goto(`${FORM}?lang=en`);
  await use(visit);
  await person.close();
}

const WAYS: [string, (visit: Visit) => Promise<void>][] = [
  [
    "mouse",
    async (visit) => {
      await visit.tick();
      await visit.task.ready();
      await visit.task.button("patience").click();
      await untilVerified(visit);
      await visit.page.getByRole("button", { name: "Register" }).click();
    },
  ],
  [
    "keyboard",
    async (visit) => {
      const keyboard = new Keyboard(visit);
      await visit.checkbox().waitFor();
      await keyboard.tabTo("checkbox");
      await keyboard.press("Space");
      await visit.task.ready();
      await keyboard.tabTo("button", NAMES.patience);
      await keyboard.press("Enter");
      await untilVerified(visit);
      await keyboard.tabTo("button", /Register/);
      await keyboard.press("Enter");
    },
  ],
];

const sent = (visit: Visit) => visit.page.locator("output").innerText();

describe.skipIf(WITHOUT_BROWSER)("the form behind the captcha of npm start", () => {
  it("npm start prints the address of the form", () => {
    expect(output()).toContain(FORM);
  });

  it("the form is rejected with 403 without a token and with a made-up one", async () => {
    for (const token of [undefined, "", "a.b.c"]) {
      const answer = await fetch(FORM, {
        method: "POST",
        body: new URLSearchParams({
          email: "ada@example.com",
          ...(token === undefined ? {} : { "captcha-token": token }),
        }),
      });
      expect(answer.status).toBe(403);
      expect(await answer.text()).not.toContain("welcome");
    }
  });

  it("the widget shows a task in the page's language without a violation of its policy", async () => {
    for (const language of ["en", "ru"]) {
      const visit = await open(`${FORM}?lang=${language}`);
      await visit.tick();
      await visit.task.ready();
      expect(await visit.task.frame.locator("html").getAttribute("lang")).toBe(language);
      expect(await visit.violations()).toEqual([]);
      await visit.page
        .getByRole("button", { name: /Register|Зарегистрироваться/ })
        .evaluate((button) => (button as unknown as { click(): void }).click());
      await expect.poll(() => sent(visit)).toContain("403");
      await visit.close();
    }
  });

  it("the form offers to repeat a request only after one was sent", async () => {
    const visit = await open(`${FORM}?lang=en`);
    const again = visit.page.locator("#again");
    expect(await again.isVisible()).toBe(false);
    expect(await sent(visit)).toBe("");
    await visit.page.getByRole("button", { name: "Register" }).click();
    await expect.poll(() => again.isVisible()).toBe(true);
    await visit.close();
  });

  it("the form is dark in a dark system and follows the theme of its address", async () => {
    for (const [system, query, isDark] of [
      ["dark", "", true],
      ["light", "", false],
      ["light", "&theme=dark", true],
      ["dark", "&theme=light", false],
    ] as const) {
      const visit = await Visit.in(await browser.newContext({ colorScheme: system }));
      await visit.page.goto(`${FORM}?lang=en${query}`);
      const colours = (await visit.page.evaluate(`(() => {
        const button = getComputedStyle(document.querySelector("form button"));
        const probe = document.body.appendChild(document.createElement("i"));
        probe.style.background = "Canvas";
        return [getComputedStyle(document.documentElement).colorScheme, getComputedStyle(probe).backgroundColor, button.color];
      })()`)) as string[];
      const light = (colour = "") => Math.max(...(colour.match(/\d+/g) ?? []).slice(0, 3).map(Number)) > 127;
      expect([system, query, light(colours[1])]).toEqual([system, query, !isDark]);
      expect([system, query, light(colours[2])]).toEqual([system, query, isDark]);
      expect(colours[0]).toBe(query === "" ? "light dark" : isDark ? "dark" : "light");
      await visit.close();
    }
  });

  it.each(WAYS)(
    "a form passed without a puzzle by %s is accepted once, and the same request again is rejected",
    { timeout: 180_000 },
    (_, send) =>
      asPerson(async (visit) => {
        await send(visit);
        await expect.poll(() => sent(visit)).toContain('"welcome": "ada@example.com"');
        // The shop does not receive the token.
        expect(await sent(visit)).not.toContain("captcha-token");
        await visit.page.getByRole("button", { name: "again" }).click();
        await expect.poll(() => sent(visit)).toMatch(/^403[\s\S]*captcha_invalid/);
      }),
  );
});
