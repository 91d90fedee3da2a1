import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { boxText } from "../../../../plugins/captcha/widget/box/texts.js";
import { widgetFault } from "../../../../plugins/captcha/widget/shared/faults.js";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import type { Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  // The longest allowed name.
  harness = await openHarness({
    siteKeys: { operator: { name: "W".repeat(32), link: "https://example.com/" } },
  });
});
afterAll(() => harness?.close());

const LANGUAGES = ["ru", "en"] as const;
const inside = (px: number, language: string, attributes = "data-response-field") =>
  `<div style="width:${px}px"><div class="sp-captcha" data-sitekey="${KEYS.low}" data-language="${language}" ${attributes}></div></div>`;

/** All contents of the box: state, words and message beside them. */
const said = (language: (typeof LANGUAGES)[number]) => [
  ...(["idle", "scoring", "task", "verified", "expired", "ended"] as const).map((state) => ({
    state,
    words: boxText(state, language),
    note: "",
    off: false,
  })),
  ...(["network_error", "timeout", "rate_limited", "service_unavailable", "internal_error"] as const).map(
    (code) => ({
      state: "error",
      words: boxText("error", language),
      note: widgetFault(code, language).message,
      off: false,
    }),
  ),
  ...(["invalid_sitekey", "hostname_not_allowed", "unsupported_browser"] as const).map((code) => ({
    state: "error",
    words: boxText("off", language),
    note: widgetFault(code, language).message,
    off: true,
  })),
];

/** Shows each state, and returns parts that are outside of the frame, overlap or are cut off. */
const MISPLACED = (states: readonly object[]) => `(() => {
  const root = document.querySelector("main");
  const wrong = [];
  for (const { state, words, note, off } of ${JSON.stringify(states)}) {
    root.dataset.state = state;
    root.classList.toggle("off", off);
    document.querySelector(".text span").textContent = words;
    document.querySelector(".note").textContent = note;
    const parts = ["input", ".text", ".note", ".brand"]
      .map((name) => ({ name, element: document.querySelector(name) }))
      .filter(({ element }) => element.getClientRects().length > 0 && element.textContent + element.tagName !== "P")
      .map(({ name, element }) => ({ name, ...element.getBoundingClientRect().toJSON() }));
    for (const part of parts) {
      if (part.left < 0 || part.top < 0 || part.right > innerWidth || part.bottom > innerHeight)
        wrong.push([state, note || words, part.name, "is outside"]);
      for (const other of parts)
        if (part.name < other.name && part.left < other.right && other.left < part.right && part.top < other.bottom - 0.5 && other.top < part.bottom - 0.5)
          wrong.push([state, note || words, part.name, "upon", other.name]);
    }
    if (root.scrollWidth > root.clientWidth) wrong.push([state, note || words, "is too wide"]);
  }
  return wrong;
})()`;

const frameWidth = async (visit: Visit) => (await visit.container().locator("iframe").boundingBox())?.width;

describe.skipIf(WITHOUT_ENGINE)("the width of the box", () => {
  it.each([
    [200, 240],
    [240, 240],
    [320, 320],
    [400, 400],
    [900, 400],
  ])("[V8] a box in a container of %i pixels is %i wide", async (container, width) => {
    const visit = await harness.visit({ body: inside(container, "ru") });
    await visit.checkbox().waitFor();
    expect(await frameWidth(visit)).toBe(width);
    await visit.close();
  });

  it("[V8] a box follows the width of its container, and an error of the loader is as wide as its own", async () => {
    const visit = await harness.visit({
      body: inside(240, "en") + inside(360, "en").replace(KEYS.low, "bad"),
    });
    await visit.checkbox().waitFor();
    await visit.page.evaluate("document.querySelector('div').style.width = '333px'");
    expect(await frameWidth(visit)).toBe(333);
    expect((await visit.page.getByRole("alert").boundingBox())?.width).toBe(360);
    await visit.close();
  });

  it("[V8] a box shows every text in both languages at 240, 320 and 400 pixels beside a long name, and compact", async () => {
    for (const language of LANGUAGES)
      for (const [px, attributes] of [
        [240, ""],
        [320, ""],
        [400, ""],
        [164, 'data-size="compact"'],
      ] as const) {
        const visit = await harness.visit({
          body: inside(px, language, `data-response-field ${attributes}`),
        });
        await visit.checkbox().waitFor();
        const wrong = await visit
          .box()
          .locator("body")
          .evaluate(MISPLACED(said(language)));
        expect(wrong, `${language} ${px}`).toEqual([]);
        await visit.close();
      }
  });
});
