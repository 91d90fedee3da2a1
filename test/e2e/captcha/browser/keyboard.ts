import type { Frame } from "playwright-core";
import type { TaskAnswer } from "../../../../plugins/captcha/service/contract.js";
import { NAMES, typed } from "./task-dialog.js";
import { fromFrame, type Visit } from "./visit.js";

/** The focused control, as assistive technology gets it. */
export interface Focused {
  role: string;
  name: string;
}

const IDENTIFY = `(() => {
  let element = document.activeElement;
  while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
  if (!element || element === document.body || element.tagName === "IFRAME" || !document.hasFocus()) return null;
  const tag = element.tagName.toLowerCase();
  const implied = { button: "button", h1: "heading", h2: "heading", h3: "heading", a: "link", textarea: "textbox" }[tag]
    ?? (tag === "input" ? { checkbox: "checkbox", range: "slider", submit: "button" }[element.type] ?? "textbox" : tag);
  const ids = element.getAttribute("aria-labelledby");
  const label = element.getAttribute("aria-label")
    ?? (ids ? ids.split(/\\s+/).map((id) => document.getElementById(id)?.textContent ?? "").join(" ") : null)
    ?? element.labels?.[0]?.textContent ?? element.textContent ?? "";
  return { role: element.getAttribute("role") ?? implied, name: label.trim() };
})()`;

/** Uses a page with keys alone. */
export class Keyboard {
  readonly #visit: Visit;

  constructor(visit: Visit) {
    this.#visit = visit;
  }

  async focused(): Promise<Focused> {
    for (const frame of this.#visit.page.frames()) {
      const found = (await fromFrame(frame.evaluate(IDENTIFY))) as Focused | null | undefined;
      if (found) return found;
    }
    return { role: "", name: "" };
  }

  /** Presses Tab until a control of this role and name has the focus: 60 times at most. */
  async tabTo(role: string, name: RegExp = /(?:)/): Promise<void> {
    for (let i = 0; i < 60; i++) {
      const at = await this.focused();
      if (at.role === role && name.test(at.name)) return;
      await this.press("Tab");
    }
    throw new Error(`the keyboard does not reach a ${role} named ${name}`);
  }

  async press(key: string): Promise<void> {
    await fromFrame(this.#visit.page.keyboard.press(key));
  }

  async switchTo(type: "text" | "audio"): Promise<void> {
    await this.tabTo("button", NAMES[type]);
    await this.press("Enter");
  }

  /** Answers and sends: cells by arrows and Enter, rings by arrows (5° a press), letters by typing. */
  async answer(answer: TaskAnswer): Promise<void> {
    if (answer.type === "shapes") await this.#pick(answer.cells);
    if (answer.type === "rings") await this.#turn(answer.angles);
    if (answer.type === "text" || answer.type === "audio") {
      await this.tabTo("textbox");
      await typed(this.#visit.page, answer.type === "text" ? answer.text : answer.groups.join(" "));
    }
    await this.tabTo("button", NAMES.submit);
    await this.press("Enter");
  }

  async escape(): Promise<void> {
    await this.press("Escape");
    await this.#visit.task.dialog.waitFor({ state: "detached" });
  }

  async #pick(cells: readonly number[]): Promise<void> {
    const cell = /\b([1-3])\D+([1-4])\b/;
    await this.tabTo("button", cell);
    let at = 0;
    for (const wanted of cells) {
      const [, row = "1", column = "1"] = cell.exec((await this.focused()).name) ?? [];
      at = (Number(row) - 1) * 4 + Number(column) - 1;
      const [down, right] = [Math.floor(wanted / 4) - Math.floor(at / 4), (wanted % 4) - (at % 4)];
      for (let i = 0; i < Math.abs(down); i++) await this.press(down > 0 ? "ArrowDown" : "ArrowUp");
      for (let i = 0; i < Math.abs(right); i++) await this.press(right > 0 ? "ArrowRight" : "ArrowLeft");
      await this.press("Enter");
    }
  }

  async #turn(angles: readonly number[]): Promise<void> {
    const sliders = this.#visit.task.frame.getByRole("slider");
    for (const [index, angle] of angles.entries()) {
      await this.tabTo("slider", new RegExp(await sliders.nth(index).evaluate(nameOf)));
      // End is 355: the shorter way round.
      await this.press(angle > 180 ? "End" : "Home");
      const presses = angle > 180 ? Math.round((355 - angle) / 5) : Math.round(angle / 5);
      for (let i = 0; i < presses; i++) await this.press(angle > 180 ? "ArrowLeft" : "ArrowRight");
    }
  }

  /** Begins to record live regions of page and frames, also of later frames. */
  async listen(): Promise<void> {
    const { page } = this.#visit;
    const begin = (frame: Frame) => fromFrame(frame.evaluate(LISTEN));
    page.on("framenavigated", begin);
    for (const frame of page.frames()) await begin(frame);
    await page.exposeFunction("heard", (text: string) => this.#heard.push(text)).catch(() => undefined);
  }

  readonly #heard: string[] = [];

  async said(): Promise<string[]> {
    return [...this.#heard];
  }
}

const nameOf = (element: unknown): string =>
  (element as { labels: ArrayLike<{ textContent: string }> }).labels[0]?.textContent ?? "";

const LISTEN = `(() => {
  if (window.listening) return;
  window.listening = true;
  let last = "";
  const say = () => {
    for (const region of document.querySelectorAll("[aria-live], [role=status], [role=alert]")) {
      const text = region.textContent.trim();
      if (text && text !== last) { last = text; window.heard?.(text); }
    }
  };
  new MutationObserver(say).observe(document, { subtree: true, childList: true, characterData: true });
  say();
})()`;
