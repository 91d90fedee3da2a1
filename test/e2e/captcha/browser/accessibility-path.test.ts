import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { CANNOT, leftOutInFirefox, WITHOUT_ENGINE } from "../../../support/engine.js";
import { UNPADDED } from "../../../tools/plugin-docs.js";
import { focusedNode } from "./accessibility-tree.js";
import { KEYS } from "./configuration.js";
import { type Harness, openHarness } from "./harness.js";
import { Keyboard } from "./keyboard.js";
import { NAMES, typed, wrong } from "./task-dialog.js";
import type { Visit } from "./visit.js";

const PAGE = new URL("../../../../docs/captcha/accessibility.md", import.meta.url);

let harness: Harness;
beforeAll(async () => {
  harness = await openHarness();
});
afterAll(() => harness?.close());

/** Announcements of waiting: their number depends on the machine. */
const WAITING = /^(?:Checking…|Проверяем…|Preparing|Готовим|One moment|Ещё немного)/;

interface Step {
  does: string;
  focus: string;
  hears: string[];
}

/** Walks from the form through a wrong and a right answer by ear, and records the announcements. */
class Walk {
  readonly steps: Step[] = [];
  readonly keyboard: Keyboard;
  readonly #visit: Visit;
  #told = 0;

  constructor(visit: Visit) {
    this.#visit = visit;
    this.keyboard = new Keyboard(visit);
  }

  async step(does: string, action: () => Promise<unknown>): Promise<void> {
    await action();
    const node = await focusedNode(this.#visit);
    const said = (await this.keyboard.said()).filter(
      (words, at, all) => !WAITING.test(words) && words !== all[at - 1],
    );
    const words = node
      ? [node.role, node.name, node.state, node.description].filter(Boolean).join(", ")
      : "nothing";
    this.steps.push({ does, focus: words, hears: said.slice(this.#told) });
    this.#told = said.length;
  }

  table(): string {
    const rows = this.steps.map(
      ({ does, focus, hears }) => `| ${does} | ${focus.replaceAll("|", "\\|")} | ${hears.join("<br>")} |`,
    );
    return `| what one does | what has the focus | what is announced besides |\n|---|---|---|\n${rows.join("\n")}\n`;
  }
}

async function walkByEar(visit: Visit): Promise<string> {
  const walk = new Walk(visit);
  const { keyboard } = walk;
  await visit.checkbox().waitFor();
  await keyboard.listen();
  await visit.page.locator("input[name=name]").focus();
  await walk.step("Tab from the field before", () => keyboard.tabTo("checkbox"));
  await walk.step("Space", async () => {
    await keyboard.press("Space");
    await visit.task.ready();
    await expect.poll(async () => (await keyboard.focused()).role).toBe("heading");
  });
  await walk.step("Tab to the sound, Enter", () =>
    harness.untilNewTask(visit, () => keyboard.switchTo("audio")),
  );
  await walk.step("Tab to the player, Enter", async () => {
    await keyboard.tabTo("button", NAMES.play);
    await keyboard.press("Enter");
  });
  await walk.step("Tab to the answer, wrong numbers", async () => {
    await keyboard.tabTo("textbox");
    const answer = wrong(harness.tasks.answer());
    if (answer.type === "audio") await typed(visit.page, answer.groups.join(" "));
  });
  await walk.step("Enter", async () => {
    await harness.untilNewTask(visit, () => keyboard.press("Enter"));
  });
  await walk.step("Tab to the answer, right numbers", async () => {
    await keyboard.tabTo("textbox");
    const answer = harness.tasks.answer();
    if (answer.type === "audio") await typed(visit.page, answer.groups.join(" "));
  });
  await walk.step("Enter", async () => {
    await keyboard.press("Enter");
    await visit.untilVerified();
    await expect.poll(async () => (await keyboard.focused()).role).toBe("checkbox");
  });
  await walk.step("Tab to the button of the form", () => keyboard.tabTo("button", /Send/));
  return walk.table();
}

describe.skipIf(WITHOUT_ENGINE ?? leftOutInFirefox(CANNOT.tree))("path of a blind visitor", () => {
  it.each(["en", "ru"])(
    "[A70] [A73] announcements follow docs/captcha/accessibility.md (%s; UPDATE=1 writes it)",
    async (language) => {
      const visit = await harness.visit({
        html: `lang="${language}"`,
        body: `<form action="/submit" method="post"><label>Name <input name="name"></label>
        <div class="sp-captcha" data-sitekey="${KEYS.shapes}" data-response-field data-language="${language}"></div><button>Send</button></form>`,
      });
      // Numbers of the sound differ from run to run; without a ready task of the level another level's is
      // shown.
      const table = (await walkByEar(visit))
        .replace(/, (?:[2-7] ){3}[2-7],/g, ", … … … …,")
        .replace(/(Find these|Найдите) \d/, "$1 4");
      await visit.close();
      const text = readFileSync(PAGE, "utf8");
      const section = new RegExp(`(<!-- path ${language} -->\\n)[\\s\\S]*?(<!-- end of path -->)`);
      const fresh = text.replace(
        section,
        (_, begin: string, end: string) => `${begin}${UNPADDED}\n${table}\n${end}`,
      );
      if (process.env["UPDATE"] === "1") writeFileSync(PAGE, fresh);
      else expect(text).toBe(fresh);
    },
  );
});
