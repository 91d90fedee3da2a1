import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { WITHOUT_ENGINE } from "../../../support/engine.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { Keyboard } from "./keyboard.js";
import { NAMES, wrong } from "./task-dialog.js";
import type { Visit } from "./visit.js";

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

const page = (key: string, language = "en") => ({
  body: `<form action="/submit" method="post"><label>Name <input name="name"></label>
    <div class="sp-captcha" data-sitekey="${key}" data-response-field data-language="${language}"></div><button>Send</button></form>`,
});

/** Goes from the field before the box into the box and its task, without the mouse. */
async function toTask(visit: Visit): Promise<Keyboard> {
  await visit.checkbox().waitFor();
  await visit.page.locator("input[name=name]").focus();
  const keyboard = new Keyboard(visit);
  await keyboard.tabTo("checkbox");
  await visit.page.keyboard.press("Space");
  await visit.task.ready();
  return keyboard;
}

describe.skipIf(WITHOUT_ENGINE)("use without a mouse", () => {
  it.each([
    ["shapes", KEYS.shapes],
    ["rings", KEYS.rings],
    ["text", KEYS.normal],
    ["audio", KEYS.normal],
  ] as const)(
    "[A70] a %s task is solved by keys from the form to the token, and the focus returns to the box",
    async (type, key) => {
      const visit = await harness.visit(page(key));
      const keyboard = await toTask(visit);
      if (type === "text" || type === "audio")
        await harness.untilNewTask(visit, () => keyboard.switchTo(type));
      expect(harness.tasks.answer().type).toBe(type);
      await harness.solve(visit, (right) => keyboard.answer(right));
      await visit.untilVerified();
      expect(await visit.field()).not.toBe("");
      expect((await keyboard.focused()).role).toBe("checkbox");
      expect((await harness.verify(key, (await visit.field()) ?? "")).body).toMatchObject({ success: true });
      // No trap: Tab leaves the box for the button that sends the form.
      await keyboard.tabTo("button", /Send/);
      await visit.page.keyboard.press("Enter");
      await visit.page.waitForURL("**/submit");
      await visit.close();
    },
  );

  it("[A70] [H11] Escape closes the dialog and returns the focus to the box, and Tab stays in the dialog", async () => {
    const visit = await harness.visit(page(KEYS.normal));
    const keyboard = await toTask(visit);
    for (let i = 0; i < 40; i++) {
      await visit.page.keyboard.press("Tab");
      expect((await keyboard.focused()).name).not.toMatch(/^(?:Name|Send)$/);
    }
    // Tab also passes the browser's own controls; there Escape would belong to the browser.
    await keyboard.tabTo("button", NAMES.close);
    await keyboard.escape();
    await expect.poll(async () => (await keyboard.focused()).role).toBe("checkbox");
    await visit.close();
  });

  it("[A70] the focus of the dialog begins at the heading", async () => {
    const visit = await harness.visit(page(KEYS.normal));
    const keyboard = await toTask(visit);
    await expect.poll(async () => (await keyboard.focused()).role).toBe("heading");
    await visit.close();
  });

  it.each(["ru", "en"])(
    "[A73] scoring, task, wrong answer and verified are announced (%s)",
    async (language) => {
      const visit = await harness.visit(page(KEYS.normal, language));
      const keyboard = new Keyboard(visit);
      await keyboard.listen();
      await visit.tick();
      await visit.task.ready();
      await visit.task.answer(wrong(harness.tasks.answer()));
      await visit.task.ready();
      await harness.solve(visit);
      await visit.untilVerified();
      const said = (await keyboard.said()).join("\n");
      for (const expected of language === "ru"
        ? [/провер/i, /задани/i, /неверно|не верно|не получилось/i, /пройдена|подтвержд/i]
        : [/check/i, /task/i, /wrong|not right|incorrect/i, /verified|passed/i])
        expect(said).toMatch(expected);
      await visit.close();
    },
  );
});
