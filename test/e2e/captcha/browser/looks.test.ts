import type { Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { fewerInFirefox, leftOutInFirefox, WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { type HostSite, startHostSite } from "./host-page.js";
import type { Visit } from "./visit.js";

let harness: Harness;
let foreign: HostSite;
beforeAll(async () => {
  harness = await openHarness();
  foreign = await startHostSite(harness.url, "foreign.localhost");
});
afterAll(async () => {
  await foreign?.close();
  await harness?.close();
});

type Colour = [red: number, green: number, blue: number];

/** Colours of a screenshot of the page. */
async function coloursOf(
  page: Page,
  points: readonly (readonly [x: number, y: number])[],
): Promise<Colour[]> {
  const png = (await page.screenshot({ animations: "disabled" })).toString("base64");
  const reader = await page.context().newPage();
  const colours = await reader.evaluate(`(async () => {
    const picture = await createImageBitmap(await (await fetch("data:image/png;base64,${png}")).blob());
    const canvas = new OffscreenCanvas(picture.width, picture.height).getContext("2d");
    canvas.drawImage(picture, 0, 0);
    return ${JSON.stringify(points)}.map(([x, y]) => [...canvas.getImageData(x, y, 1, 1).data].slice(0, 3));
  })()`);
  await reader.close();
  return colours as Colour[];
}

function luminance(colour: Colour): number {
  const [red, green, blue] = colour.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as Colour;
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** WCAG 2.2, "contrast ratio". */
function contrast(one: Colour, other: Colour): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

const BEHIND: Colour = [204, 153, 170];
const box = (attributes = "", key: string = KEYS.low) =>
  `<div class="sp-captcha" data-sitekey="${key}" data-response-field data-language="ru" ${attributes}></div>`;
const answers = (status: number, error: string) => (page: Page) =>
  page.route("**/api/v1/session", (route) =>
    route.fulfill({
      status,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ error, retryable: true }),
    }),
  );

async function failed(visit: Visit): Promise<void> {
  await expect
    .poll(
      async () => {
        await visit.page.clock.fastForward(5_000);
        return (await visit.calls("sp-captcha:error")).length;
      },
      { interval: 100 },
    )
    .toBeGreaterThan(0);
}

describe.skipIf(WITHOUT_ENGINE)("appearance of the widget in a page", () => {
  it.each(["light", "dark"] as const)(
    "the round corners show the page behind, whatever the page's scheme and its theme: in a %s system",
    async (system) => {
      const schemes = ["normal", "light", "dark", "light dark"];
      const themes = ["", 'data-theme="auto"', 'data-theme="light"', 'data-theme="dark"'];
      const places = schemes.flatMap((scheme) => themes.map((theme) => ({ scheme, theme })));
      const body = places
        .map(
          ({ scheme, theme }, i) =>
            `<div style="position:absolute;left:${(i % 4) * 320 + 10}px;top:${Math.floor(i / 4) * 90 + 10}px;color-scheme:${scheme}">${box(theme)}</div>`,
        )
        .join("");
      const on = system === "dark" ? await openHarness({ wish: "dark" }) : harness;
      const visit = await on.visit(
        { body: `<style>html{background:rgb(${BEHIND})}</style>${body}` },
        { colorScheme: system, viewport: { width: 1300, height: 400 } },
      );
      for (let i = 0; i < places.length; i++) await visit.checkbox(i).waitFor();
      const corner = (i: number) => [(i % 4) * 320 + 11, Math.floor(i / 4) * 90 + 11] as const;
      const middle = (i: number) => [(i % 4) * 320 + 200, Math.floor(i / 4) * 90 + 20] as const;
      const colours = await coloursOf(visit.page, [
        ...places.map((_, i) => corner(i)),
        ...places.map((_, i) => middle(i)),
      ]);
      for (const [i, { scheme, theme }] of places.entries()) {
        expect([scheme, theme, colours[i]]).toEqual([scheme, theme, BEHIND]);
        const isDark = theme.includes("dark") || (!theme.includes("light") && system === "dark");
        expect([scheme, theme, luminance(colours[places.length + i] ?? BEHIND) < 0.2]).toEqual([
          scheme,
          theme,
          isDark,
        ]);
      }
      await visit.close();
      if (on !== harness) await on.close();
    },
  );

  it("messages of two lines are beside the checkbox, not under it, in every size and language", async () => {
    const faults = [
      [500, "internal_error"],
      [503, "service_unavailable"],
      [429, "rate_limited"],
    ] as const;
    for (const [status, error] of fewerInFirefox(faults, ([known]) => known === 503))
      for (const attributes of ["", 'data-size="compact"', 'data-language="en"']) {
        const visit = await harness.visit(
          {
            body: box(attributes).replace(attributes.includes("language") ? 'data-language="ru"' : "\0", ""),
          },
          {},
          async ({ page }) => {
            await page.clock.install();
            await answers(status, error)(page);
          },
        );
        await failed(visit);
        const [field, note, text, frame] = (await visit
          .box()
          .locator("html")
          .evaluate(`(() => {
          const place = (selector) => document.querySelector(selector).getBoundingClientRect().toJSON();
          return [place("input"), place(".note"), place(".text"), place("html")];
        })()`)) as Record<"left" | "right" | "top" | "bottom", number>[];
        if (!field || !note || !text || !frame) throw new Error("something is not there");
        const apart = (a: typeof field, b: typeof field) =>
          a.right <= b.left || b.right <= a.left || a.bottom <= b.top || b.bottom <= a.top;
        expect([error, attributes, apart(field, note), apart(note, text), apart(field, text)]).toEqual([
          ...[error, attributes, true, true, true],
        ]);
        for (const part of [field, note, text])
          expect(part.top >= frame.top && part.bottom <= frame.bottom && part.right <= frame.right).toBe(
            true,
          );
        await visit.close();
      }
  });

  it
    .skipIf(leftOutInFirefox("a request that is held is let go by its driver"))
    .each(["light", "dark"] as const)(
    "the spinner of the dialog has a contrast above 3:1: %s",
    async (theme) => {
      const visit = await harness.visit(
        { body: box(`data-theme="${theme}"`) },
        { colorScheme: theme, reducedMotion: "reduce" },
        ({ page }) => page.route("**/api/v1/score", () => undefined),
      );
      await visit.tick();
      // Visible after 300 ms.
      await visit.page.waitForFunction("getComputedStyle(document.querySelector('dialog')).opacity === '1'");
      const { x, y, height } = (await visit.page.evaluate(
        "document.querySelector('dialog[open] [role=status] span').getBoundingClientRect().toJSON()",
      )) as { x: number; y: number; height: number };
      const [wheel = BEHIND, panel = BEHIND] = await coloursOf(visit.page, [
        [Math.round(x + 1), Math.round(y + height / 2)],
        [Math.round(x - 8), Math.round(y + height / 2)],
      ]);
      expect(contrast(wheel, panel)).toBeGreaterThan(3);
      await visit.close();
    },
  );
});

describe.skipIf(WITHOUT_ENGINE)("a form that another site shows in a frame", () => {
  it("[A67] a form that another site frames shows frame_blocked soon, in a plain sentence, and has no token", async () => {
    const inner = harness.site.page({ body: `<form>${box()}</form>` });
    const outer = foreign.page({
      head: "",
      body: `<iframe src="${inner}" width="500" height="600"></iframe>`,
    });
    const visit = await harness.visit({ head: "", body: "" });
    const tab = await visit.context.newPage();
    await tab.addInitScript(
      "window.seen = []; document.addEventListener('sp-captcha:error', (event) => seen.push({ ...event.detail, at: performance.now() }))",
    );
    await tab.goto(outer);
    const frame = tab.frames().find((one) => one.url() === inner);
    if (frame === undefined) throw new Error("the form's page did not load");
    await expect.poll(() => frame.evaluate("seen.length")).toBe(1);
    const [seen] = (await frame.evaluate("seen")) as {
      code: string;
      message: string;
      retryable: boolean;
      at: number;
    }[];
    expect(seen).toMatchObject({ code: "frame_blocked", retryable: false });
    // Three attempts to load the frame take 21 s.
    expect(seen?.at).toBeLessThan(10_000);
    const shown = await tab.frameLocator("iframe").locator(".sp-captcha").innerText();
    expect(shown).toBe(seen?.message);
    expect(shown).toBe("Здесь проверка заблокирована. Откройте страницу в отдельном окне.");
    expect(await tab.frameLocator("iframe").locator(".sp-captcha input").inputValue()).toBe("");
    await visit.close();
  });

  it("the widget works in a frame of a site that the key names", async () => {
    const inner = harness.site.page({ body: box() });
    const port = new URL(harness.site.origin).port;
    const body = `<iframe src="${inner}" width="500" height="600"></iframe>`;
    const outer = harness.site.page({ head: "", body }).replace("site.localhost", "www.site.localhost");
    expect(new URL(outer).port).toBe(port);
    const visit = await harness.visit({ head: "", body: "" });
    const tab = await visit.context.newPage();
    await tab.goto(outer);
    const checkbox = tab.frameLocator("iframe").frameLocator(".sp-captcha iframe").getByRole("checkbox");
    await checkbox.waitFor();
    // Longer than the frame's timeout for a reply.
    await tab.waitForTimeout(2_500);
    expect(await checkbox.isVisible()).toBe(true);
    await visit.close();
  });
});
