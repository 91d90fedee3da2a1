import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

const box = (language?: string, key: string = KEYS.low) =>
  `<div class="sp-captcha" data-sitekey="${key}" data-response-field ${language === undefined ? "" : `data-language="${language}"`}></div>`;
const RUSSIAN = /[а-яё]/i;

describe.skipIf(WITHOUT_ENGINE)("language of the widget", () => {
  it("[C8] [C9] [H2] [A55] the widget is Russian unless the page asks for English, in any spelling", async () => {
    const asked: [string | undefined, "ru" | "en", warns: boolean][] = [
      [undefined, "ru", false],
      ["ru", "ru", false],
      ["en", "en", false],
      ["EN-us", "en", false],
      [" en ", "en", false],
      ["RU", "ru", false],
      ["fr", "ru", true],
      ["&lt;b&gt;", "ru", true],
      ["", "ru", false],
    ];
    const visit = await harness.visit({ body: asked.map(([language]) => box(language)).join("\n") });
    for (const [index, [, expected]] of asked.entries()) {
      const name = await visit.box(index).locator("html").getAttribute("lang");
      expect(name, `box ${index}`).toBe(expected);
      expect(RUSSIAN.test(await visit.says(index)), `box ${index}`).toBe(expected === "ru");
      const title = (await visit.container(index).locator("iframe").getAttribute("title")) ?? "";
      expect(RUSSIAN.test(title), title).toBe(expected === "ru");
    }
    const warned = visit.console.filter((line) => line.startsWith("warning:") && line.includes("language"));
    expect(warned).toHaveLength(asked.filter(([, , warns]) => warns).length);
    await visit.close();
  });

  it("[C8] a site key that allows one language gets that one", async () => {
    const visit = await harness.visit({ body: box("en", KEYS.russian) });
    await visit.checkbox().waitFor();
    expect(await visit.says()).toMatch(RUSSIAN);
    await visit.close();
  });

  it("[C8] the task has the language of its box", async () => {
    for (const language of ["ru", "en"] as const) {
      const visit = await harness.visit({ body: box(language, KEYS.normal) });
      await visit.tick();
      await visit.task.ready();
      expect(await visit.task.frame.locator("html").getAttribute("lang")).toBe(language);
      expect(RUSSIAN.test((await visit.task.frame.locator("body").innerText()) ?? "")).toBe(
        language === "ru",
      );
      expect(RUSSIAN.test((await visit.task.dialog.getAttribute("aria-label")) ?? "")).toBe(
        language === "ru",
      );
      await visit.close();
    }
  });
});
