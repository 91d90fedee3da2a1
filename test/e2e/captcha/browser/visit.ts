import type { BrowserContext, FrameLocator, Locator, Page } from "playwright-core";
import { PATIENCE_MS } from "../../../support/patience.js";
import { TaskDialog } from "./task-dialog.js";

/** A recorded call of a global function of the page, or a DOM event. */
export type Call = [name: string, ...values: unknown[]];

/**
 * Runs in every page before its own scripts: `calls` records the calls of the page's functions,
 * `callback("name")` makes a global function that only records, and all events of the widget are recorded.
 */
const RECORDER = `
  if (window.top === window) {
    window.calls = [];
    window.callback = (name) => { window[name] = function (...values) { calls.push([name, ...structuredClone(values)]); }; };
    for (const name of ["success", "error", "expired", "open", "close"])
      document.addEventListener("sp-captcha:" + name, (event) => calls.push(["sp-captcha:" + name, structuredClone(event.detail)]));
    document.addEventListener("securitypolicyviolation", (event) => (window.violations ??= []).push(event.violatedDirective + " " + event.blockedURI));
  }`;

/** Timeout far above the time of a browser call on a busy machine. */
const FRAME_MS = 5_000;

/**
 * Reply of a frame, or undefined from one that is closing: playwright waits forever for a released key, and
 * for scripts and trees, in a frame that was removed meanwhile.
 */
export async function fromFrame<T>(answer: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(resolve, FRAME_MS, undefined);
  });
  try {
    return await Promise.race([answer, late]);
  } catch {
    return undefined;
  } finally {
    clearTimeout(timer);
  }
}

/** One person on one page. */
export class Visit {
  readonly context: BrowserContext;
  readonly page: Page;
  readonly task: TaskDialog;
  /** Uncaught errors of the page and its frames. */
  readonly errors: string[] = [];
  /** Lines of the console: "warning: …". */
  readonly console: string[] = [];

  private constructor(context: BrowserContext, page: Page) {
    this.context = context;
    this.page = page;
    this.task = new TaskDialog(page);
    page.on("pageerror", (error) => this.errors.push(String(error)));
    page.on("console", (message) => this.console.push(`${message.type()}: ${message.text()}`));
  }

  static async in(context: BrowserContext): Promise<Visit> {
    await context.addInitScript(RECORDER);
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE_MS / 2);
    return new Visit(context, page);
  }

  container(index = 0): Locator {
    return this.page.locator(".sp-captcha").nth(index);
  }

  /** The checkbox's frame. */
  box(index = 0): FrameLocator {
    return this.container(index).locator("iframe").contentFrame();
  }

  checkbox(index = 0): Locator {
    return this.box(index).getByRole("checkbox");
  }

  /** Text of the box, including its live region. */
  async says(index = 0): Promise<string> {
    return this.box(index).locator("body").innerText();
  }

  /** Ticks with the mouse, moving there first as a hand does. */
  async tick(index = 0): Promise<void> {
    await this.checkbox(index).click();
  }

  /** Some box of the page is verified; false while a frame closes. */
  async isVerified(): Promise<boolean> {
    const frames = this.page.frames().filter((frame) => frame.url().includes("/f/v1/box"));
    const states = await Promise.all(
      frames.map((frame) => fromFrame(frame.evaluate("document.querySelector('input').checked"))),
    );
    return (
      states.includes(true) && (await this.page.locator("dialog[open][aria-label] iframe").count()) === 0
    );
  }

  async untilVerified(index = 0): Promise<void> {
    const verified = this.box(index).getByRole("checkbox", { checked: true });
    await verified.waitFor().catch(async (error: unknown) => {
      const said = await this.says(index).catch(String);
      throw new Error(`not verified; the box says ${JSON.stringify(said)}, the page ${this.console}`, {
        cause: error,
      });
    });
    await this.page.locator("dialog[open][aria-label]").waitFor({ state: "detached" });
  }

  /** The hidden field's value; undefined if there is none. */
  async field(name = "captcha-token"): Promise<string | undefined> {
    const fields = this.page.locator(`.sp-captcha input[name="${name}"]`);
    return (await fields.count()) > 0 ? fields.first().inputValue() : undefined;
  }

  async calls(name?: string): Promise<Call[]> {
    const all = (await this.page.evaluate("window.calls")) as Call[];
    return name === undefined ? all : all.filter(([called]) => called === name);
  }

  /** Waits until a function or an event of this name was called `times` times; returns the last call. */
  async called(name: string, times = 1): Promise<Call> {
    await this.page.waitForFunction(
      `window.calls.filter(([name]) => name === ${JSON.stringify(name)}).length >= ${times}`,
    );
    return (await this.calls(name)).at(-1) ?? [name];
  }

  async violations(): Promise<string[]> {
    return ((await this.page.evaluate("window.violations")) as string[] | undefined) ?? [];
  }

  close(): Promise<void> {
    return this.context.close();
  }
}
