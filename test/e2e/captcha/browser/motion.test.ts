import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { Keyboard } from "./keyboard.js";
import type { Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

const box = (key: string) =>
  `<div class="sp-captcha" data-sitekey="${key}" data-response-field data-language="en"></div>`;

/**
 * Holds the page's timers of 100 to 1,000 ms until the test releases them, so that no machine is too slow to
 * see the state before them, and records the greatest opacity that an open dialog ever had.
 */
const WATCHED = `
  if (window.top === window) {
    const later = window.setTimeout;
    window.held = [];
    window.setTimeout = (call, ms, ...values) => ms >= 100 && ms <= 1000 ? -window.held.push({ call, ms }) : later(call, ms, ...values);
    window.opacity = -1;
    new MutationObserver(() => {
      for (const dialog of document.querySelectorAll("dialog[open]")) window.opacity = Math.max(window.opacity, Number(getComputedStyle(dialog).opacity));
    }).observe(document, { subtree: true, childList: true, attributes: true });
  }`;
const watched = (key: string, before: (visit: Visit) => Promise<unknown> = async () => undefined) =>
  harness.visit({ body: box(key) }, { reducedMotion: "reduce" }, async (visit) => {
    await visit.page.addInitScript(WATCHED);
    await before(visit);
  });

describe.skipIf(WITHOUT_ENGINE)("motion and its moments", () => {
  it("[V6] [C22] [C23] a pass within 300 ms opens and closes the dialog without showing it", async () => {
    const visit = await watched(KEYS.low);
    await visit.tick();
    await visit.untilVerified();
    await visit.called("sp-captcha:close");
    expect(await visit.calls("sp-captcha:open")).toHaveLength(1);
    expect(await visit.page.evaluate("held.map(({ ms }) => ms)")).toEqual([300]);
    expect(await visit.page.evaluate("opacity")).toBe(0);
    await visit.close();
  });

  it("[V6] a longer wait shows the dialog, which is modal from the tick on", async () => {
    const visit = await watched(KEYS.low, ({ page }) => page.route("**/api/v1/score", () => undefined));
    await visit.tick();
    await visit.task.dialog.waitFor();
    expect(await visit.page.evaluate("opacity")).toBe(0);
    expect(await visit.page.evaluate("document.elementFromPoint(5, 5).tagName")).toBe("DIALOG");
    await visit.page.evaluate("held.forEach(({ call }) => call())");
    expect(await visit.page.evaluate("getComputedStyle(document.querySelector('dialog')).opacity")).toBe("1");
    await visit.task.dialog.getByText("Checking…").waitFor();
    await new Keyboard(visit).escape();
    await visit.task.dialog.waitFor({ state: "detached" });
    await visit.close();
  });

  it("[V6] a task is shown at once", async () => {
    const visit = await watched(KEYS.normal);
    await visit.tick();
    await visit.task.ready();
    expect(await visit.page.evaluate("getComputedStyle(document.querySelector('dialog')).opacity")).toBe("1");
    await visit.close();
  });

  it.each([
    ["no-preference", "swell appear"],
    ["reduce", "none none"],
  ] as const)(
    "[V9] success is animated for at most 0.3 s, and not at all with reduced motion: %s",
    async (motion, names) => {
      const on = motion === "reduce" ? await openHarness({ wish: "calm" }) : harness;
      const visit = await on.visit({ body: box(KEYS.low) }, { reducedMotion: motion });
      await visit.tick();
      await visit.untilVerified();
      const [found, longest] = (await visit
        .box()
        .locator("body")
        .evaluate(`(() => {
      const styles = [getComputedStyle(document.querySelector("input")), getComputedStyle(document.querySelector(".mark"), "::after")];
      return [styles.map(({ animationName }) => animationName).join(" "), Math.max(...styles.map(({ animationDuration }) => parseFloat(animationDuration)))];
    })()`)) as [string, number];
      expect(found).toBe(names);
      expect(longest).toBeLessThanOrEqual(0.3);
      await visit.close();
      if (on !== harness) await on.close();
    },
  );
});
