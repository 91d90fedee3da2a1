import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { leftOutInFirefox, WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import type { Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  // Scrollbars that take room, as on most desktops.
  harness = await openHarness({ ignoreDefaultArgs: ["--hide-scrollbars"] });
});
afterAll(() => harness?.close());

const box = `<div class="sp-captcha" data-sitekey="${KEYS.normal}" data-response-field></div>`;

async function solve(visit: Visit): Promise<void> {
  await visit.tick();
  await visit.task.ready();
  await harness.solve(visit);
  await visit.untilVerified();
  expect(await visit.field()).not.toBe("");
}

/** Checks that the dialog is inside the window and nothing scrolls sideways. */
async function fits(visit: Visit): Promise<void> {
  const size = visit.page.viewportSize() ?? { width: 0, height: 0 };
  const place = await visit.task.dialog.locator("iframe").boundingBox();
  expect(place?.x).toBeGreaterThanOrEqual(0);
  expect((place?.x ?? 0) + (place?.width ?? 0)).toBeLessThanOrEqual(size.width);
  expect((place?.y ?? 0) + (place?.height ?? 0)).toBeLessThanOrEqual(size.height);
  const sideways = await visit.task.frame
    .locator("html")
    .evaluate(
      (root) =>
        (root as unknown as { scrollWidth: number; clientWidth: number }).scrollWidth -
        (root as unknown as { clientWidth: number }).clientWidth,
    );
  expect(sideways).toBeLessThanOrEqual(0);
}

const TURNED: [string, string] = [
  "in a transformed and filtered box",
  `<div style="transform:rotate(1deg) scale(0.9);filter:grayscale(1);overflow:hidden">${box}</div>`,
];

const PAGES: [name: string, body: string, html?: string][] = [
  [
    "inside the page's own modal",
    `<dialog id="own" style="padding:8px">${box}</dialog><script>document.getElementById("own").showModal()</script>`,
  ],
  [
    "under an overlay with the greatest z-index",
    `${box}<div style="position:fixed;inset:120px 0 0 0;z-index:2147483647;background:silver">Overlay</div>`,
  ],
  ["where the page does not scroll", `<style>html,body{overflow:hidden;height:100%}</style>${box}`],
  ...(leftOutInFirefox("its driver takes a turned frame for one that is not seen") ? [] : [TURNED]),
  ["on a page from right to left", box, 'lang="ar" dir="rtl"'],
  [
    "on a page with rules for every dialog, frame and input",
    `<style>dialog{display:none;width:10px}iframe{width:1px}*{font-size:40px}</style>${box}`,
  ],
];

describe.skipIf(WITHOUT_ENGINE)("the dialog on difficult pages", () => {
  it.each(PAGES)("[A69] the dialog is on top and its task can be solved %s", async (_, body, html) => {
    const visit = await harness.visit({ body, ...(html ? { html } : {}) });
    await visit.tick();
    await visit.task.ready();
    const top = await visit.page.evaluate(`{
      const place = [...document.querySelectorAll("dialog[open] iframe")].at(-1).getBoundingClientRect();
      document.elementFromPoint(place.x + place.width / 2, place.y + place.height / 2)?.closest("dialog") !== null
    }`);
    expect(top).toBe(true);
    await visit.task.frame.last;
    await harness.solve(visit);
    await visit.box().getByRole("checkbox", { checked: true }).waitFor();
    expect(await visit.field()).not.toBe("");
    await visit.close();
  });

  it.each([KEYS.shapes, KEYS.rings])(
    "[A69] a task of %s has the height it needs, without scrolling",
    async (key) => {
      const visit = await harness.visit({ body: box.replace(KEYS.normal, key) });
      await visit.tick();
      await visit.task.ready();
      const room = () =>
        visit.task.frame.locator("html").evaluate((root) => {
          const { clientWidth, scrollHeight, clientHeight } = root as unknown as Record<string, number>;
          const { innerWidth } = globalThis as unknown as { innerWidth: number };
          return { bar: innerWidth - (clientWidth ?? 0), below: (scrollHeight ?? 0) - (clientHeight ?? 0) };
        });
      await expect.poll(room).toEqual({ bar: 0, below: 0 });
      await visit.task.dialog.evaluate((dialog) =>
        Reflect.get(dialog, "style").setProperty("max-height", "300px"),
      );
      await expect.poll(async () => (await room()).below).toBeGreaterThan(0);
      await visit.task.dialog.evaluate((dialog) => Reflect.get(dialog, "style").removeProperty("max-height"));
      await expect.poll(room).toEqual({ bar: 0, below: 0 });
      await visit.close();
    },
  );

  it("[A69] [C6] the dialog fits a window of 320 pixels, and its task can be solved", async () => {
    for (const [width, height] of [
      [320, 568],
      [320, 256],
    ] as const) {
      const visit = await harness.visit({ body: box }, { viewport: { width, height }, hasTouch: true });
      await visit.tick();
      await visit.task.ready();
      await fits(visit);
      await harness.solve(visit);
      await visit.untilVerified();
      await visit.close();
    }
  });

  it("[A69] the dialog fits at 400 % zoom of a window of 1280 × 1024, and its task can be solved", async () => {
    // A zoom of 400 % is a viewport of a quarter with four times the density.
    const visit = await harness.visit(
      { body: box },
      { viewport: { width: 320, height: 256 }, deviceScaleFactor: 4 },
    );
    await visit.tick();
    await visit.task.ready();
    await fits(visit);
    await harness.solve(visit);
    await visit.untilVerified();
    await visit.close();
  });

  it("[A69] a task can be solved at 200 % zoom", async () => {
    const visit = await harness.visit(
      { body: box },
      { viewport: { width: 640, height: 512 }, deviceScaleFactor: 2 },
    );
    await solve(visit);
    await visit.close();
  });
});
