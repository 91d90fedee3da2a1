import type { FrameLocator, Locator, Page } from "playwright-core";
import type { TaskAnswer } from "../../../../plugins/captcha/service/contract.js";

/** Accessible names of the task frame's controls, in both languages. */
export const NAMES = {
  submit: /^(?:Проверить|Check)$/,
  close: /^(?:Закрыть|Close)$/,
  another: /^(?:Другое задание|New task)$/,
  text: /^(?:Текст|Text)$/,
  audio: /^(?:Звук|Audio)$/,
  picture: /^(?:Картинка|Picture)$/,
  patience: /^(?:Без задания|Without a puzzle)$/,
  play: /^(?:Воспроизвести|Play)/,
} as const;

const MISFITS = `[...document.querySelectorAll("button, .face, .strip")].flatMap((part) => {
  const { left, top, right, bottom, width, height } = part.getBoundingClientRect();
  const least = part.matches(".submit, .way, .close, .cell") ? 44 : 24;
  const name = part.className + " " + (part.ariaLabel ?? part.textContent);
  return [
    ...(left < 0 || top < 0 || right > innerWidth || bottom > innerHeight ? [name + " is outside"] : []),
    ...(Math.min(width, height) < least ? [name + " is too small: " + width + " by " + height] : []),
  ];
})`;

/** The modal window with a task, as a person uses it. */
export class TaskDialog {
  readonly page: Page;
  readonly dialog: Locator;
  readonly frame: FrameLocator;

  constructor(page: Page) {
    this.page = page;
    this.dialog = page.locator("dialog[open][aria-label]");
    this.frame = page.frameLocator("dialog[open][aria-label] iframe");
  }

  get heading(): Locator {
    return this.frame.getByRole("heading").first();
  }

  get submit(): Locator {
    return this.frame.getByRole("button", { name: NAMES.submit });
  }

  button(which: keyof typeof NAMES): Locator {
    return this.frame.getByRole("button", { name: NAMES[which] }).first();
  }

  /** Cells 0..11, row by row: their names contain only row and column. */
  cell(index: number): Locator {
    const [row, column] = [Math.floor(index / 4) + 1, (index % 4) + 1];
    return this.frame.getByRole("button", { name: new RegExp(`\\b${row}\\D+${column}\\b`) });
  }

  /** Waits until a task can be solved. */
  async ready(): Promise<void> {
    // Tasks are drawn at the lowest priority: on a busy machine the frame asks for one again, twice.
    await this.frame.locator("main[aria-busy=false]").waitFor();
    await this.still();
  }

  /** Waits until the dialog has the task's height, a moment after the task is shown. */
  async still(): Promise<void> {
    const place = async () => JSON.stringify(await this.frame.locator("main").boundingBox());
    for (let before = "", now = await place(); now !== before; ) {
      await this.page.waitForTimeout(50);
      [before, now] = [now, await place()];
    }
  }

  /**
   * Controls and rings that are cut off or too small: those that continue or turn need 44 pixels, others 24
   * (WCAG 2.5.8).
   */
  misfits(): Promise<string[]> {
    return this.frame.locator("main").evaluate(MISFITS);
  }

  /** Solves the task with the mouse where a mouse can, and sends it. */
  async answer(answer: TaskAnswer): Promise<void> {
    await this.ready();
    if (answer.type === "shapes") for (const cell of answer.cells) await this.cell(cell).click();
    if (answer.type === "rings") {
      const rings = this.frame.getByRole("slider");
      for (const [index, angle] of answer.angles.entries())
        await turned(rings.nth(index), angle - (angle % 5));
    }
    if (answer.type === "text") await this.#typed(answer.text);
    if (answer.type === "audio") await this.#typed(answer.groups.join(" "));
    await this.submit.click();
  }

  /** Uses keys: the text of `fill` is a script's in Firefox, and no right answer made by one counts. */
  async #typed(text: string): Promise<void> {
    await this.frame.getByRole("textbox").click();
    await typed(this.page, text);
  }
}

/** Types into the focused control as fingers do: after a moment, and not by a clock. */
export async function typed(page: Page, text: string): Promise<void> {
  await page.waitForTimeout(250);
  for (const [index, letter] of [...text].entries()) {
    await page.keyboard.type(letter);
    await page.waitForTimeout(30 + ((index * 17) % 40));
  }
}

/** An answer that is wrong whatever the task. */
export function wrong(answer: TaskAnswer): TaskAnswer {
  if (answer.type === "shapes")
    return { type: "shapes", cells: [...answer.cells.slice(1), answer.cells[0] ?? 0] };
  if (answer.type === "rings")
    return { type: "rings", angles: answer.angles.map((angle) => (angle + 90) % 360) };
  if (answer.type === "text")
    return {
      type: "text",
      text:
        [...answer.text].reverse().join("") === answer.text ? "WWWWW" : [...answer.text].reverse().join(""),
    };
  return { type: "audio", groups: answer.groups.map((count) => (count === 2 ? 7 : 2)) };
}

/** Turns a ring by keys, 5° a press: `fill` would be a script's, and no right answer made by one counts. */
async function turned(ring: Locator, angle: number): Promise<void> {
  const isAhead = angle >= 5;
  const beside = String(isAhead ? angle - 5 : angle + 5);
  await ring.evaluate((slider, value) => Object.assign(slider, { value }), beside);
  await ring.press(isAhead ? "ArrowRight" : "ArrowLeft");
}
