import type { BrowserContextOptions } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fewerInFirefox, WITHOUT_ENGINE } from "../../../support/engine.js";
import { axeViolations } from "./axe.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { wrong } from "./task-dialog.js";
import { fromFrame, type Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

const box = (language: string, theme: string, key: string = KEYS.normal) =>
  `<div class="sp-captcha" data-sitekey="${key}" data-response-field data-language="${language}" data-theme="${theme}"></div>`;
const looks = fewerInFirefox(
  (["ru", "en"] as const).flatMap((language) =>
    (["light", "dark"] as const).map((theme) => ({ language, theme })),
  ),
  ({ language, theme }) => (language === "ru") === (theme === "light"),
);

describe.skipIf(WITHOUT_ENGINE)("violations of axe-core", () => {
  const check = async (visit: Visit, state: string) =>
    expect(await axeViolations(visit.page, harness.url), state).toEqual([]);

  it.each(looks)(
    "[A71] axe-core finds no violation in any state, $language, $theme",
    async ({ language, theme }) => {
      const options: BrowserContextOptions = { colorScheme: theme };
      const visit = await harness.visit({ body: box(language, theme) }, options);
      await visit.checkbox().waitFor();
      await check(visit, "start");
      await visit.tick();
      await visit.task.ready();
      await check(visit, "first task");
      for (const other of ["text", "audio"] as const) {
        await harness.untilNewTask(visit, () => visit.task.button(other).click());
        await check(visit, other);
      }
      await harness.untilNewTask(visit, () => visit.task.answer(wrong(harness.tasks.answer())));
      await check(visit, "after a wrong answer");
      await harness.solve(visit);
      await visit.untilVerified();
      await check(visit, "verified");
      await visit.close();
    },
  );

  it.each(looks)(
    "[A71] [V7] axe-core finds no violation after the end of a session, $language, $theme",
    async ({ language, theme }) => {
      const visit = await harness.visit({ body: box(language, theme) }, {}, ({ page }) =>
        page.route("**/api/v1/task/*/answer", (route) =>
          route.fulfill({ status: 410, json: { error: "session_expired", retryable: false } }),
        ),
      );
      await visit.tick();
      await visit.task.ready();
      await visit.task.answer(wrong(harness.tasks.answer()));
      await visit.task.frame.locator(".retry").waitFor();
      await check(visit, "ended, in the dialog");
      await visit.task.frame.locator(".retry").click();
      await visit.task.dialog.waitFor({ state: "detached" });
      await check(visit, "ended, in the box");
      await visit.close();
    },
  );

  it.each(looks)(
    "[A71] axe-core finds no violation in rings, an error and an expired token, $language, $theme",
    async ({ language, theme }) => {
      const rings = await harness.visit({ body: box(language, theme, KEYS.rings) });
      await rings.tick();
      await rings.task.ready();
      await check(rings, "rings");
      await rings.close();
      const failed = await harness.visit({ body: box(language, theme, "no-such-site-key") });
      await failed.called("sp-captcha:error");
      await check(failed, "error");
      await failed.close();
      const expired = await harness.visit({ body: box(language, theme, KEYS.low) }, {}, ({ page }) =>
        page.clock.install(),
      );
      await expired.tick();
      await expired.untilVerified();
      await expired.page.clock.fastForward(300_000);
      await expired.called("sp-captcha:expired");
      await expired.page.clock.resume();
      await check(expired, "expired");
      await expired.close();
    },
  );

  it("[A71] forced colours leave every button visible, and axe-core finds no violation", async () => {
    const forced = await openHarness({ wish: "forcedColors" });
    const visit = await forced.visit({ body: box("en", "auto") }, { forcedColors: "active" });
    expect(await visit.page.evaluate("matchMedia('(forced-colors: active)').matches")).toBe(true);
    await visit.tick();
    await visit.task.ready();
    expect(await axeViolations(visit.page, forced.url)).toEqual([]);
    const bare = await visit.task.frame.getByRole("button").evaluateAll((buttons) =>
      buttons
        .map((button) => {
          const style = (
            globalThis as unknown as { getComputedStyle(e: unknown): Record<string, string> }
          ).getComputedStyle(button);
          return `${style["borderTopStyle"]} ${style["borderTopWidth"]} ${style["outlineStyle"]}`;
        })
        .filter((style) => style.startsWith("none") || style.includes(" 0px none")),
    );
    expect(bare).toEqual([]);
    await forced.close();
  });

  it("[A72] no animation runs in any frame with reduced motion", async () => {
    // A setting of the system: the box loses the emulated one when the task frame of its process has gone.
    const calm = await openHarness({ wish: "calm" });
    const visit = await calm.visit({ body: box("en", "auto") }, { reducedMotion: null });
    const running = async () => {
      const found = await Promise.all(
        visit.page
          .frames()
          .map((frame) =>
            fromFrame(
              frame.evaluate(
                "document.getAnimations().filter(({ playState }) => playState === 'running').map(({ animationName, transitionProperty, effect }) => (animationName ?? transitionProperty) + ' of ' + effect.target.outerHTML.slice(0, 80))",
              ),
            ),
          ),
      );
      // A frame that is closing returns nothing; the page and the box stay.
      const told = found.filter((one) => one !== undefined);
      expect(told.length).toBeGreaterThan(1);
      return told.flat();
    };
    expect(await visit.page.evaluate("matchMedia('(prefers-reduced-motion: reduce)').matches")).toBe(true);
    await visit.checkbox().waitFor();
    expect(await running()).toEqual([]);
    await visit.tick();
    expect(await running()).toEqual([]);
    await visit.task.ready();
    expect(await running()).toEqual([]);
    await calm.solve(visit);
    await visit.untilVerified();
    expect(await running()).toEqual([]);
    await calm.close();
  });

  it("[A71] every button is at least 24 pixels wide and high, and the main one 44 high", async () => {
    const visit = await harness.visit({ body: box("ru", "light") });
    await visit.tick();
    await visit.task.ready();
    const places = await visit.task.frame.getByRole("button").all();
    for (const button of places) {
      const place = await button.boundingBox();
      expect(
        Math.min(place?.width ?? 0, place?.height ?? 0),
        await button.innerText(),
      ).toBeGreaterThanOrEqual(24);
    }
    expect((await visit.task.submit.boundingBox())?.height).toBeGreaterThanOrEqual(44);
    await visit.close();
  });
});
