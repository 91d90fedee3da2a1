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
  play: /^(?:Воспроизвести|Play)/,
} as const;

/** The modal window with a task, as a person works with it. */
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

  /** Cells 0..11, row by row: their names tell row and column and nothing else. */
  cell(index: number): Locator {
    const [row, column] = [Math.floor(index / 4) + 1, (index % 4) + 1];
    return this.frame.getByRole("button", { name: new RegExp(`\\b${row}\\D+${column}\\b`) });
  }

  /** Until a task can be worked on. */
  async ready(): Promise<void> {
    await this.frame.locator("main[aria-busy=false]").waitFor();
  }

  /** Works the task with the mouse, where a mouse can, and sends it. */
  async answer(answer: TaskAnswer): Promise<void> {
    await this.ready();
    if (answer.type === "shapes") for (const cell of answer.cells) await this.cell(cell).click();
    if (answer.type === "rings") {
      const rings = this.frame.getByRole("slider");
      for (const [index, angle] of answer.angles.entries())
        await turned(rings.nth(index), angle - (angle % 2));
    }
    if (answer.type === "text") await this.frame.getByRole("textbox").fill(answer.text);
    if (answer.type === "audio") await this.frame.getByRole("textbox").fill(answer.groups.join(" "));
    await this.submit.click();
  }
}

/** An answer that is wrong whatever the task. */
export function wrong(answer: TaskAnswer): TaskAnswer {
  if (answer.type === "shapes")
    return { type: "shapes", cells: [...answer.cells.slice(1), answer.cells[0] ?? 0] };
  if (answer.type === "rings") {
    const [outer, inner] = answer.angles;
    return { type: "rings", angles: [(outer + 90) % 360, (inner + 90) % 360] };
  }
  if (answer.type === "text")
    return {
      type: "text",
      text:
        [...answer.text].reverse().join("") === answer.text ? "WWWWW" : [...answer.text].reverse().join(""),
    };
  return { type: "audio", groups: answer.groups.map((count) => (count === 2 ? 7 : 2)) };
}

/** A step of two degrees by a key takes the ring there: `fill` would be a script's, and no right answer made by one counts. */
async function turned(ring: Locator, angle: number): Promise<void> {
  const isAhead = angle >= 2;
  const beside = String(isAhead ? angle - 2 : angle + 2);
  await ring.evaluate((slider, value) => Object.assign(slider, { value }), beside);
  await ring.press(isAhead ? "ArrowRight" : "ArrowLeft");
}
