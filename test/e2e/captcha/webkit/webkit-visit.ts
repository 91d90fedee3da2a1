import { setTimeout as wait } from "node:timers/promises";
import type { TaskAnswer } from "../../../../plugins/captcha/service/contract.js";
import { type ElementReference, KEY, type MouseStep, type WebDriver } from "../../../support/webdriver.js";

/** Timeout far above the time of any step on a busy machine. */
const PATIENCE_MS = 30_000;
const TASK = "dialog[open][aria-label] iframe";
const BOX = ".sp-captcha iframe";

/** A call of a function of the page or an event of the widget, in order. */
export type Call = [name: string, ...values: unknown[]];

/** Runs before the widget's script: `calls` records events; `pass(ms)` advances the page's clock. */
export const RECORDER = `<script>
  window.calls = [];
  window.callback = (name) => { window[name] = (...values) => { calls.push([name, ...structuredClone(values)]); }; };
  for (const name of ["success", "error", "expired", "open", "close"])
    document.addEventListener("sp-captcha:" + name, (event) => calls.push(["sp-captcha:" + name, structuredClone(event.detail)]));
  addEventListener("error", (event) => calls.push(["uncaught", event.message]));
  let passed = 0;
  const now = performance.now.bind(performance);
  performance.now = () => now() + passed;
  window.pass = (ms) => { passed += ms; };
</script>`;

/** One person on one page of a WebDriver browser: elements are looked up again, since frames come and go. */
export class WebKitVisit {
  readonly driver: WebDriver;

  constructor(driver: WebDriver) {
    this.driver = driver;
  }

  /** Waits until the result is true; undefined and errors mean "not yet". */
  async until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    const end = Date.now() + PATIENCE_MS;
    let last: unknown;
    while (Date.now() < end) {
      try {
        const found = await look();
        if (found !== undefined && found !== false) return found;
        last = undefined;
      } catch (error) {
        last = error;
      }
      await wait(50);
    }
    throw new Error(`not within ${PATIENCE_MS} ms: ${what}`, { cause: last });
  }

  /** Does something in a frame of the page, and returns to the page. */
  async #in<T>(frame: string, run: () => Promise<T>): Promise<T> {
    await this.driver.frame(null);
    const [element] = await this.driver.findAll(frame);
    if (element === undefined) throw new Error(`no ${frame}`);
    await this.driver.frame(element);
    try {
      return await run();
    } finally {
      await this.driver.frame(null);
    }
  }

  inBox<T>(run: () => Promise<T>): Promise<T> {
    return this.#in(BOX, run);
  }

  inTask<T>(run: () => Promise<T>): Promise<T> {
    return this.#in(TASK, run);
  }

  page<T>(body: string, ...args: unknown[]): Promise<T> {
    return this.driver.frame(null).then(() => this.driver.script<T>(body, ...args));
  }

  async calls(name: string): Promise<Call[]> {
    return (await this.page<Call[]>("return window.calls")).filter(([called]) => called === name);
  }

  called(name: string, times = 1): Promise<Call> {
    return this.until(`${name} ${times} times`, async () => (await this.calls(name))[times - 1]);
  }

  field(): Promise<string> {
    return this.page("return document.querySelector('.sp-captcha input[name=captcha-token]').value");
  }

  /** Text of the box. */
  says(): Promise<string> {
    return this.inBox(() => this.driver.script("return document.body.innerText"));
  }

  isChecked(): Promise<boolean> {
    return this.inBox(() => this.driver.script("return document.querySelector('input').checked"));
  }

  /** Ticks with the mouse. */
  async tick(): Promise<void> {
    await this.until("the checkbox can be ticked", () =>
      this.inBox(async () => {
        const [checkbox] = await this.driver.findAll("input[type=checkbox]:not(:disabled)");
        if (checkbox === undefined) return false;
        await this.driver.click(checkbox);
        return true;
      }),
    );
  }

  /** Waits until a task can be solved. */
  async taskReady(): Promise<void> {
    await this.until("a task", () =>
      this.inTask(async () => (await this.driver.findAll("main[aria-busy=false]")).length === 1),
    );
  }

  hasDialog(): Promise<boolean> {
    return this.page("return document.querySelector('dialog[open]') !== null");
  }

  async untilVerified(): Promise<void> {
    await this.until("verified", async () => !(await this.hasDialog()) && (await this.isChecked()));
  }

  /** Buttons of the selected frame, by their accessible names. */
  async button(name: RegExp): Promise<ElementReference> {
    const found = await this.driver.script<[ElementReference, string][]>(
      "return [...document.querySelectorAll('button')].filter((one) => one.checkVisibility()).map((one) => [one, one.getAttribute('aria-label') ?? one.innerText.trim()])",
    );
    const [element] = found.find(([, label]) => name.test(label)) ?? [];
    if (element === undefined) throw new Error(`no button ${name} among ${found.map(([, label]) => label)}`);
    return element;
  }

  async press(name: RegExp): Promise<void> {
    await this.driver.click(await this.button(name));
  }

  /** Name of the focused element in the selected frame, or "" for none. */
  focused(): Promise<string> {
    return this.driver.script(
      `const one = document.activeElement;
       if (one === null || one === document.body || !document.hasFocus()) return "";
       return one.getAttribute("aria-label") ?? one.labels?.[0]?.textContent?.trim() ?? one.textContent.trim();`,
    );
  }

  /** Presses Tab in the selected frame until the element of this name has the focus: 60 times at most. */
  async tabTo(name: RegExp): Promise<void> {
    for (let i = 0; i < 60; i++) {
      if (name.test(await this.focused())) return;
      await this.driver.keys([KEY.tab]);
    }
    throw new Error(`the keyboard does not reach ${name}`);
  }

  /** Picks cells, drags rings or types into the field by mouse in the task's frame, and sends. */
  answer(answer: TaskAnswer): Promise<void> {
    return this.inTask(async () => {
      if (answer.type === "shapes")
        for (const cell of answer.cells)
          await this.press(new RegExp(`\\b${Math.floor(cell / 4) + 1}\\D+${(cell % 4) + 1}\\b`));
      if (answer.type === "rings")
        for (const [index, angle] of answer.angles.entries()) await this.drag(index, angle);
      if (answer.type === "text") await this.type(answer.text);
      if (answer.type === "audio") await this.type(answer.groups.join(" "));
      await this.press(/^Check$/);
    });
  }

  async type(text: string): Promise<void> {
    const [field] = await this.driver.findAll("#answer");
    if (field === undefined) throw new Error("no field to type into");
    await this.driver.click(field);
    await wait(250);
    for (const [index, letter] of [...text].entries()) {
      await this.driver.keys([letter]);
      await wait(30 + ((index * 17) % 40));
    }
  }

  /** Takes a ring at three o'clock and turns it clockwise, as a hand does. */
  async drag(ring: number, degrees: number): Promise<void> {
    const face = (await this.driver.findAll(".face"))[ring];
    if (face === undefined) throw new Error(`no ring ${ring}`);
    const width = await this.driver.script<number>("return arguments[0].offsetWidth", face);
    const to = (angle: number, duration: number): MouseStep => ({
      type: "pointerMove",
      x: Math.round(width * 0.36 * Math.cos((angle * Math.PI) / 180)),
      y: Math.round(width * 0.36 * Math.sin((angle * Math.PI) / 180)),
      duration,
      // WebKit takes offsets in the viewport for those in the page, also in a frame.
      origin: face,
    });
    const steps: MouseStep[] = [to(0, 60), { type: "pointerDown", button: 0 }];
    for (let angle = 6; angle < degrees; angle += 6 + (angle % 4)) steps.push(to(angle, 8 + (angle % 9)));
    steps.push(to(degrees, 20), { type: "pointerUp", button: 0 });
    await this.driver.mouse(steps);
  }
}
