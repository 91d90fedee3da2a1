import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_BROWSER } from "../../../support/browser.js";
import { captchaPrices } from "../../../support/captcha-limits.js";
import { axeViolations } from "./axe.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { Keyboard } from "./keyboard.js";
import { NAMES } from "./task-dialog.js";
import type { Visit } from "./visit.js";

const WAIT_MS = 3_000;

let harness: Harness;
let scarce: Harness;
beforeAll(async () => {
  // A browser that reports that it is driven is not offered this way.
  const args = ["--disable-blink-features=AutomationControlled"];
  const siteKeys = { challengeMode: "always" } as const;
  harness = await openHarness({
    args,
    siteKeys,
    settings: { price: captchaPrices({ patienceMs: WAIT_MS }) },
  });
  const price = captchaPrices({ patienceMs: 60_000, patience: { burst: 1, hourly: 10 } });
  scarce = await openHarness({ args, siteKeys, settings: { price } });
});
afterAll(async () => {
  await harness?.close();
  await scarce?.close();
});

const page = (language: string, theme = "auto") => ({
  body: `<form action="/submit" method="post"><label>Name <input name="name"></label>
    <div class="sp-captcha" data-sitekey="${KEYS.shapes}" data-response-field data-language="${language}" data-theme="${theme}"></div><button>Send</button></form>`,
});

/** A visitor at a task, with a user agent that is not headless. */
async function atTask(on: Harness, language = "en", options: BrowserContextOptions = {}): Promise<Visit> {
  const version = on.browser.version().split(".")[0];
  const userAgent = `Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${version}.0.0.0 Safari/537.36`;
  const visit = await on.visit(page(language, options.colorScheme ?? "auto"), { userAgent, ...options });
  await visit.checkbox().waitFor();
  await visit.page.locator("input[name=name]").focus();
  // Not `Keyboard.listen`: its binding is a mark of a driver.
  await new Keyboard(visit).tabTo("checkbox");
  await visit.page.keyboard.press("Space");
  await visit.task.ready();
  return visit;
}

/** Records the texts of the task frame's live region while the frame exists. */
async function listen(visit: Visit): Promise<string[]> {
  const heard: string[] = [];
  const frame = visit.page.frames().find((one) => one.url().includes("/f/v1/task"));
  visit.page.on("console", (message) => {
    const [, words] = /^said: (.*)/.exec(message.text()) ?? [];
    if (words) heard.push(words);
  });
  await frame?.evaluate(`new MutationObserver(() => console.info("said: " + document.querySelector("[role=status]").textContent))
    .observe(document.querySelector("[role=status]"), { childList: true, characterData: true, subtree: true })`);
  return heard;
}

async function details(on: Harness, token: string): Promise<Record<string, unknown>> {
  const query = new URLSearchParams({ jwt: token, details: "true" });
  const answer = await fetch(`${on.loopback}/${KEYS.shapes}/verify?${query}`, {
    headers: { "X-Api-Key": on.apiKey },
  });
  return ((await answer.json()) as { details: Record<string, unknown> }).details;
}

describe.skipIf(WITHOUT_BROWSER)("the way without a puzzle", () => {
  it.each(["en", "ru"])(
    "[T6] the way without a puzzle fits a window of 320 × 568 beside the three others, the task and Check: %s",
    async (language) => {
      const visit = await atTask(harness, language, { viewport: { width: 320, height: 568 } });
      expect(await visit.task.frame.locator(".way").count()).toBe(4);
      await expect.poll(() => visit.task.misfits()).toEqual([]);
      await visit.close();
    },
  );

  it.each(["en", "ru"])(
    "[H41] [A70] the way without a puzzle leads by keys to the token, is announced and is reported to the backend (%s)",
    async (language) => {
      const visit = await atTask(harness, language);
      const keyboard = new Keyboard(visit);
      const said = await listen(visit);
      const before = Date.now();
      await keyboard.tabTo("button", NAMES.patience);
      await keyboard.press("Enter");
      await expect.poll(async () => (await keyboard.focused()).role).toBe("heading");
      await visit.untilVerified();
      expect(Date.now() - before).toBeGreaterThanOrEqual(WAIT_MS);
      expect((await keyboard.focused()).role).toBe("checkbox");
      expect(said.join("\n")).toMatch(
        language === "ru"
          ? /Без задания\. Решать ничего не нужно/
          : /Without a puzzle\. There is nothing to solve/,
      );
      expect(await details(harness, (await visit.field()) ?? "")).toMatchObject({
        how: "patience",
        level: 0,
      });
      expect(visit.errors).toEqual([]);
      await visit.close();
    },
  );

  it("[H41] the way without a puzzle shows its progress and leads back to a picture", async () => {
    const visit = await atTask(scarce);
    await visit.task.button("patience").click();
    const bar = visit.task.frame.getByRole("progressbar");
    await bar.waitFor();
    expect(await bar.getAttribute("aria-labelledby")).toBe("progress");
    const value = async () => Number(await bar.evaluate((element) => Reflect.get(element, "value")));
    const first = await value();
    await expect.poll(value).toBeGreaterThan(first);
    await scarce.untilNewTask(visit, () => visit.task.button("picture").click());
    // The dialog grows: a click in the meantime would hit another cell.
    await visit.page.waitForTimeout(500);
    await scarce.solve(visit);
    await visit.untilVerified();
    expect(await details(scarce, (await visit.field()) ?? "")).toMatchObject({ how: "picture" });
    await visit.close();
  });

  it("[H42] an exhausted quota of the way without a puzzle is explained, with the other ways", async () => {
    const visit = await atTask(scarce);
    await visit.task.button("patience").click();
    await expect.poll(() => visit.task.heading.innerText()).toBe("Not open just now");
    const text = await visit.task.frame.locator("main").innerText();
    expect(text).toMatch(/Your network has used this way many times\. It is open again in about \d min/);
    expect(await axeViolations(visit.page, scarce.url)).toEqual([]);
    await scarce.untilNewTask(visit, () => visit.task.button("audio").click());
    await visit.close();
  });

  it("[H41] the way without a puzzle is not offered to a browser that reports that it is driven", async () => {
    const visit = await harness.visit(page("en"));
    await visit.tick();
    await visit.task.ready();
    expect(await visit.task.button("patience").count()).toBe(0);
    await visit.close();
  });

  it.each(
    (["ru", "en"] as const).flatMap((language) =>
      (["light", "dark"] as const).map((colorScheme) => ({ language, colorScheme })),
    ),
  )(
    "[A71] axe-core finds no violation in the way without a puzzle, $language, $colorScheme, at 320 pixels",
    async ({ language, colorScheme }) => {
      const visit = await atTask(harness, language, { colorScheme, viewport: { width: 320, height: 640 } });
      expect(await axeViolations(visit.page, harness.url), "task").toEqual([]);
      await visit.task.button("patience").click();
      await visit.task.frame.getByRole("progressbar").waitFor();
      expect(await axeViolations(visit.page, harness.url), "waiting").toEqual([]);
      const wide = await visit.task.frame
        .locator("main")
        .evaluate((main) => Reflect.get(main, "scrollWidth") > Reflect.get(main, "clientWidth"));
      expect(wide).toBe(false);
      await visit.close();
    },
  );
});
