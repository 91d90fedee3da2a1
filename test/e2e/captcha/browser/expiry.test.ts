import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import type { Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

/** Records the field as the callback finds it. */
const functions = `<script>
  function expired(...values) { calls.push(["expired", values.length, document.querySelector("input").value]); }
</script>`;
const box = `<div class="sp-captcha" data-sitekey="${KEYS.low}" data-response-field data-expired-callback="expired"></div>`;
const withClock = ({ page }: Visit) => page.clock.install();

/** Waits until the box may be ticked again. */
async function untilStart(visit: Visit): Promise<void> {
  await visit.box().getByRole("checkbox", { checked: false }).waitFor();
}

describe.skipIf(WITHOUT_ENGINE)("the end of a token's life", () => {
  it("[C17] [C18] [A56] expiry clears the field before the callback without arguments, and the widget shows it", async () => {
    const visit = await harness.visit({ body: functions + box }, {}, withClock);
    expect(await visit.field()).toBe("");
    await visit.tick();
    await visit.untilVerified();
    expect(await visit.field()).not.toBe("");
    const verified = await visit.says();
    await visit.page.clock.fastForward(300_000);
    expect(await visit.called("expired")).toEqual(["expired", 0, ""]);
    await visit.called("sp-captcha:expired");
    await untilStart(visit);
    expect(await visit.says()).not.toBe(verified);
    await visit.close();
  });

  it("[A58] [H6] expiry comes when the token ends at the server, not before", async () => {
    const visit = await harness.visit({ body: functions + box }, {}, withClock);
    await visit.checkbox().waitFor();
    await visit.page.clock.pauseAt(Date.now() + 3_600_000);
    await visit.tick();
    // The modal's animations and waits need time that passes.
    for (let i = 0; i < 40 && (await visit.field()) === ""; i++) await visit.page.clock.runFor(50);
    expect(await visit.field()).not.toBe("");
    // The token's times are whole seconds: its life ends up to a second before the five minutes are over.
    await visit.page.clock.runFor(296_500);
    expect(await visit.calls("expired")).toHaveLength(0);
    await visit.page.clock.runFor(4_000);
    expect(await visit.called("expired")).toEqual(["expired", 0, ""]);
    await visit.close();
  });

  it("[C67] an expired widget can be solved again without a reload", async () => {
    const visit = await harness.visit({ body: functions + box }, {}, withClock);
    await visit.tick();
    await visit.untilVerified();
    const first = await visit.field();
    await visit.page.clock.fastForward(300_000);
    await visit.called("expired");
    await untilStart(visit);
    await visit.tick();
    await visit.untilVerified();
    const second = await visit.field();
    expect(second).not.toBe("");
    expect(second).not.toBe(first);
    expect((await harness.verify(KEYS.low, second ?? "")).body).toMatchObject({ success: true });
    await visit.close();
  });

  it("[A57] a page that slept over the expiry reports it once on return", async () => {
    const visit = await harness.visit({ body: functions + box }, {}, withClock);
    await visit.tick();
    await visit.untilVerified();
    // A closed lid: an hour without a timer.
    await visit.page.clock.fastForward(3_600_000);
    expect(await visit.called("expired")).toEqual(["expired", 0, ""]);
    await visit.page.clock.fastForward(3_600_000);
    expect(await visit.calls("expired")).toHaveLength(1);
    await visit.close();
  });

  it.each(["visibilitychange", "pageshow", "focus"])(
    "[A57] a tab with throttled timers checks the clock on %s",
    async (event) => {
      const visit = await harness.visit({ body: functions + box }, {}, async ({ page }) => {
        // Timers of a hidden tab, which may not fire while it is hidden; the clock continues.
        await page.addInitScript(`{
        let passed = 0;
        const now = performance.now.bind(performance);
        performance.now = () => now() + passed;
        const later = window.setTimeout.bind(window);
        window.setTimeout = (run, wait, ...values) => wait > 30000 ? 0 : later(run, wait, ...values);
        const every = window.setInterval.bind(window);
        window.setInterval = (run, wait, ...values) => every(() => { if (!window.holdTimers) run(...values); }, wait);
        window.pass = (ms) => { passed += ms; };
      }`);
      });
      await visit.tick();
      await visit.untilVerified();
      for (const frame of visit.page.frames())
        await frame.evaluate("window.holdTimers = true; window.pass(400000)");
      expect(await visit.calls("expired")).toHaveLength(0);
      for (const frame of visit.page.frames())
        await frame.evaluate(
          `(${JSON.stringify(event)} === "visibilitychange" ? document : window).dispatchEvent(new Event(${JSON.stringify(event)}))`,
        );
      expect(await visit.called("expired")).toEqual(["expired", 0, ""]);
      await visit.close();
    },
  );

  it("[A59] a client whose clock is a year off, either way, notices no difference", async () => {
    for (const year of [2025, 2028]) {
      const visit = await harness.visit({ body: functions + box }, {}, async ({ page }) => {
        await page.clock.install({ time: new Date(Date.UTC(year, 5, 1)) });
      });
      await visit.tick();
      await visit.untilVerified();
      const token = (await visit.field()) ?? "";
      expect((await harness.verify(KEYS.low, token)).body).toMatchObject({ success: true });
      await visit.page.clock.fastForward(290_000);
      expect(await visit.calls("expired")).toHaveLength(0);
      await visit.page.clock.fastForward(10_000);
      await visit.called("expired");
      await visit.close();
    }
  });

  it("[A59] a client's clock that is set back does not lengthen the life of a token", async () => {
    const visit = await harness.visit({ body: functions + box }, {}, withClock);
    await visit.tick();
    await visit.untilVerified();
    await visit.page.clock.setSystemTime(new Date(Date.now() - 365 * 86_400_000));
    await visit.page.clock.runFor(1000);
    expect(await visit.calls("expired")).toHaveLength(0);
    await visit.page.clock.runFor(300_000);
    await visit.called("expired");
    await visit.close();
  });

  it("[A50] the expiry of one token leaves the other widgets alone", async () => {
    const visit = await harness.visit(
      {
        body: `${box.replace(KEYS.low, KEYS.minute)}<div class="sp-captcha" data-sitekey="${KEYS.low}" data-response-field data-response-field-name="other"></div>${functions}`,
      },
      {},
      withClock,
    );
    await visit.tick(0);
    await visit.untilVerified(0);
    await visit.tick(1);
    await visit.untilVerified(1);
    await visit.page.clock.fastForward(60_000);
    await visit.called("expired");
    expect(await visit.field()).toBe("");
    expect(await visit.field("other")).not.toBe("");
    expect(await visit.checkbox(1).isChecked()).toBe(true);
    await visit.close();
  });

  it("[H12] a task lives five minutes; its end is announced, and the next action gets a new one", async () => {
    const visit = await harness.visit(
      {
        body: `<div class="sp-captcha" data-sitekey="${KEYS.normal}" data-response-field data-language="en"></div>`,
      },
      {},
      withClock,
    );
    await visit.tick();
    await visit.task.ready();
    const live = visit.task.frame.locator("[aria-live=polite], [role=status]").first();
    await visit.page.clock.fastForward(271_000);
    await expect.poll(() => live.textContent()).toMatch(/30/);
    const given = harness.tasks.given.length;
    await visit.page.clock.fastForward(40_000);
    await harness.untilNewTask(visit, () => visit.task.answer(harness.tasks.answer()));
    expect(harness.tasks.given).toHaveLength(given + 1);
    await harness.solve(visit);
    await visit.untilVerified();
    await visit.close();
  });
});
