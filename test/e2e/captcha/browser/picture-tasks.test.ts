import type { Locator } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { wrong } from "./task-dialog.js";
import type { Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

async function toTask(key: string, width = 640, before?: (visit: Visit) => Promise<void>): Promise<Visit> {
  const body = `<div class="sp-captcha" data-sitekey="${key}" data-response-field data-language="en"></div>`;
  const visit = await harness.visit({ body }, { viewport: { width, height: 640 } }, before);
  await visit.tick();
  await visit.task.ready();
  return visit;
}

/** Takes the ring at three o'clock and turns it clockwise, as a hand does. */
async function dragged(visit: Visit, face: Locator, degrees: number): Promise<void> {
  // Waits until it does not move: the dialog takes the task's height a moment later.
  await face.hover();
  const { x, y, width, height } = (await face.boundingBox()) ?? { x: 0, y: 0, width: 0, height: 0 };
  const at = (angle: number): [number, number] => [
    x + width / 2 + width * 0.36 * Math.cos((angle * Math.PI) / 180),
    y + height / 2 + height * 0.36 * Math.sin((angle * Math.PI) / 180),
  ];
  const { mouse } = visit.page;
  await mouse.move(...at(0));
  await mouse.down();
  for (let angle = 6; angle < degrees; angle += 6 + (angle % 4)) {
    await mouse.move(...at(angle));
    await visit.page.waitForTimeout(8 + (angle % 9));
  }
  await mouse.move(...at(degrees));
  await mouse.up();
}

const valuesOf = (sliders: unknown[]): number[] =>
  sliders.map((slider) => Number((slider as { value: string }).value));

describe.skipIf(WITHOUT_ENGINE)("a picture task", () => {
  it("[T4] rings that are dragged to their angles solve the task", async () => {
    const visit = await toTask(KEYS.rings);
    await harness.solve(visit, async (answer) => {
      const faces = visit.task.frame.locator(".face");
      const angles = answer.type === "rings" ? answer.angles : [];
      expect(await faces.count()).toBe(angles.length);
      for (const [i, angle] of angles.entries()) await dragged(visit, faces.nth(i), angle);
      const values = await visit.task.frame.getByRole("slider").evaluateAll(valuesOf);
      for (const [i, value] of values.entries())
        expect(Math.abs(value - (angles[i] ?? 0))).toBeLessThanOrEqual(5);
      await visit.task.submit.click();
    });
    await visit.untilVerified();
    await visit.close();
  });

  it("[T4] a ring stays where it is released, whatever moves are missing, and a press alone turns nothing", async () => {
    const visit = await toTask(KEYS.rings);
    const face = visit.task.frame.locator(".face").first();
    await face.hover();
    const slider = visit.task.frame.getByRole("slider").first();
    await visit.page.mouse.down();
    await visit.page.mouse.up();
    expect(await slider.inputValue()).toBe("0");
    const from = await face.evaluate((element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2, reach: width * 0.36 };
    });
    const at = (x: number, y: number) => ({ clientX: from.x + x, clientY: from.y + y, button: 0 });
    await face.hover({ position: { x: from.reach * 2, y: from.reach * 1.4 } });
    const start = await face.evaluate((element) => {
      const { width, height } = element.getBoundingClientRect();
      return [0.72 * width - width / 2, 0.504 * width - height / 2] as const;
    });
    await visit.page.mouse.down();
    await face.dispatchEvent("pointerup", { ...at(-start[0], -start[1]), pointerId: 1 });
    expect(await slider.inputValue()).toBe("180");
    await visit.page.mouse.up();
    expect(await slider.inputValue()).toBe("180");
    await visit.close();
  });

  it.each([320, 640])(
    "[T6] no ring causes a scrollbar, however it is turned, at a width of %i",
    async (width) => {
      const visit = await toTask(KEYS.rings, width);
      const roots = () =>
        visit.task.frame
          .locator("html")
          .evaluate(({ scrollWidth, scrollHeight, clientWidth, clientHeight }) => [
            scrollWidth - clientWidth,
            scrollHeight - clientHeight,
          ]);
      expect(await roots()).toEqual([0, 0]);
      for (const slider of await visit.task.frame.getByRole("slider").all()) await slider.fill("45");
      expect(await roots()).toEqual([0, 0]);
      await visit.close();
    },
  );

  it.each([320, 640])("[T6] the countdown moves no control of the task, at a width of %i", async (width) => {
    const visit = await toTask(KEYS.rings, width, ({ page }) => page.clock.install());
    const boxes = () =>
      visit.task.frame
        .locator(".face, .submit, h1")
        .evaluateAll((all) => all.map((one) => JSON.stringify(one.getBoundingClientRect())));
    const before = await boxes();
    const timer = visit.task.frame.locator(".timer");
    for (let i = 0; i < 60 && (await timer.textContent()) === ""; i++)
      await visit.page.clock.fastForward(5_000);
    expect(await timer.textContent()).toMatch(/^\d+ s left$/);
    expect(await boxes()).toEqual(before);
    const { y, height } = (await timer.boundingBox()) ?? { y: 0, height: 0 };
    const button = (await visit.task.submit.boundingBox()) ?? { y: 0, height: 0 };
    expect(y).toBeGreaterThanOrEqual(button.y + button.height);
    expect(y + height).toBeLessThanOrEqual(640);
    await visit.close();
  });

  it("[T4] the buttons beside a ring turn it past zero, and have 24 pixels or more at a width of 320", async () => {
    const visit = await toTask(KEYS.rings, 320);
    const slider = visit.task.frame.getByRole("slider").first();
    const back = visit.task.frame.getByRole("button", { name: /^Ring 1: .* back/ });
    await back.click();
    expect(await slider.inputValue()).toBe("345");
    await visit.task.frame.getByRole("button", { name: /^Ring 1: .* forward/ }).click();
    expect(await slider.inputValue()).toBe("0");
    const { width, height } = (await back.boundingBox()) ?? { width: 0, height: 0 };
    expect(Math.min(width, height)).toBeGreaterThanOrEqual(24);
    await visit.close();
  });

  it.each([
    [KEYS.rings, "ru"],
    [KEYS.rings, "en"],
    [KEYS.shapes, "ru"],
    [KEYS.shapes, "en"],
  ])(
    "[T6] a task fits with its other ways and Check in a window of 320 × 568: %s, %s",
    async (key, language) => {
      const body = `<div class="sp-captcha" data-sitekey="${key}" data-response-field data-language="${language}"></div>`;
      const visit = await harness.visit({ body }, { viewport: { width: 320, height: 568 }, hasTouch: true });
      await visit.tick();
      await visit.task.ready();
      await expect.poll(() => visit.task.misfits()).toEqual([]);
      await visit.close();
    },
  );

  it("[T6] rings in a small window have 104 pixels or more, and shrink for a message about the last answer", async () => {
    const body = `<div class="sp-captcha" data-sitekey="${KEYS.rings}" data-response-field data-language="en"></div>`;
    const visit = await harness.visit({ body }, { viewport: { width: 320, height: 568 }, hasTouch: true });
    await visit.tick();
    await visit.task.ready();
    const faces = visit.task.frame.locator(".face");
    const side = async () => Math.round((await faces.first().boundingBox())?.width ?? 0);
    // They are drawn at 116.
    await expect.poll(side).toBeGreaterThanOrEqual(104);
    const before = await side();
    await harness.untilNewTask(visit, () => visit.task.answer(wrong(harness.tasks.answer())));
    await visit.task.frame.locator(".notice.wrong").waitFor();
    await expect.poll(side).toBeLessThan(before);
    await expect.poll(() => visit.task.misfits()).toEqual([]);
    await visit.close();
  });

  it("[T5] picks fill numbered slots, and Check is enabled while a slot is filled", async () => {
    const visit = await toTask(KEYS.shapes);
    const { frame, submit } = visit.task;
    const slots = frame.locator(".slot");
    const texts = await slots.allTextContents();
    expect(texts).toEqual(texts.map((_, i) => String(i + 1)));
    const offered = () => submit.getAttribute("aria-disabled");
    expect(await offered()).toBe("true");
    await visit.task.cell(7).click();
    expect(await offered()).toBe("false");
    expect(await frame.locator(".slot.filled").allTextContents()).toEqual(["1"]);
    await visit.task.cell(2).click();
    expect(await frame.locator(".slot.filled").count()).toBe(2);
    for (let i = 0; i < 2; i++) await frame.getByRole("button", { name: "Undo" }).click();
    expect(await frame.locator(".slot.filled").count()).toBe(0);
    expect(await offered()).toBe("true");
    await visit.close();
  });

  it("[T5] Check without a pick or turn sends nothing and shows the missing step", async () => {
    for (const [key, words] of [
      [KEYS.shapes, /^Pick \d shapes in order: so far 0\.$/],
      [KEYS.rings, /^Turn the rings first\.$/],
    ] as const) {
      const visit = await toTask(key);
      const given = harness.tasks.given.length;
      await visit.task.submit.click({ force: true });
      await expect.poll(() => visit.task.frame.locator(".notice").textContent()).toMatch(words);
      expect(harness.tasks.given.length).toBe(given);
      await visit.close();
    }
  });
});
