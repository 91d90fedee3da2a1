/** `captcha.js`: finds the containers of the page and makes a widget in each. It adds no style sheet, no script and no worker to the page. */
import { Execution, executionFault } from "./execution.js";
import { Modal } from "./modal.js";
import { type CallbackSetting, readOptions } from "./options.js";
import { type PageContext, Widget } from "./widget.js";

type Target = string | Element | null | undefined;
/** What a script says instead of attributes. */
type Settings = Readonly<Record<string, unknown>> | null | undefined;

const NAME = "spCaptcha";

function start(script: HTMLScriptElement | null): void {
  const address = script?.src.replace(/\/captcha[^/]*$/, "");
  // An element with that id is no own property of the window, so it does not stand in the way.
  if (Object.hasOwn(globalThis, NAME)) {
    console.warn("sp-captcha: loaded twice");
    return;
  }
  if (!address) {
    console.error("sp-captcha: needs <script src>");
    return;
  }
  const page = new Page(address);
  const api = {
    render: (target: Target, settings?: Settings) => page.render(target, settings),
    reset: (target?: Target) => page.find(target)?.reset(),
    getResponse: (target?: Target) => page.find(target)?.token ?? "",
    remove: (target?: Target) => page.remove(target),
    execute: (target?: Target) => page.execute(target),
  };
  Object.defineProperty(globalThis, NAME, { value: Object.freeze(api) });
  page.scan();
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => page.scan());
  page.watch(script?.hasAttribute("data-auto-observe") ?? false);
}

/** All widgets of the page and what happens to the page as a whole. */
class Page {
  readonly #around: PageContext;
  /** In the document now. */
  readonly #live = new Map<string, Widget>();
  /** Of every container that ever had one, without keeping it. */
  readonly #known = new WeakMap<Element, Widget>();
  #count = 0;

  constructor(base: string) {
    this.#around = {
      base,
      origin: new URL(base).origin,
      clock: {
        monotonic: () => performance.now(),
        wall: () => Date.now(),
        after: (ms, call) => {
          const timer = setTimeout(call, ms);
          return () => clearTimeout(timer);
        },
      },
      modal: new Modal(),
      returned: (widget) => this.#live.set(widget.id, widget),
    };
  }

  scan(): void {
    for (const container of document.querySelectorAll(".sp-captcha")) this.render(container);
  }

  /** @returns the widget's name; that of the widget which the container has already */
  render(target: Target, settings?: Settings): string | undefined {
    const container = typeof target === "string" ? document.querySelector(target) : target;
    if (!(container instanceof HTMLElement)) return undefined;
    const known = this.#known.get(container);
    if (known !== undefined) return known.id;
    const form = document.createElement("form");
    const read = readOptions(
      (name) => setting(settings, name) ?? container.getAttribute(`data-${name}`),
      (name) => name in form,
    );
    for (const warning of read.warnings) console.warn(`sp-captcha: ${warning}`);
    // The youngest of what it needs: who has it has channels and workers, too.
    const supported = "HTMLDialogElement" in globalThis;
    // The same at every load: Chromium loads the frames of a page that one goes back to from their old addresses.
    const id = `w${++this.#count}`;
    const widget = new Widget(
      id,
      container,
      supported ? read : { ...read, fault: "unsupported_browser" },
      this.#around,
    );
    this.#known.set(container, widget);
    this.#live.set(id, widget);
    widget.mount();
    return id;
  }

  /** By name, container or selector; the first of the page when nothing is said. */
  find(target?: Target): Widget | undefined {
    if (target === undefined) return this.#live.values().next().value;
    if (typeof target === "string" && this.#live.has(target)) return this.#live.get(target);
    const container = typeof target === "string" ? document.querySelector(target) : target;
    return container ? this.#known.get(container) : undefined;
  }

  remove(target?: Target): void {
    const widget = this.find(target);
    if (widget === undefined) return;
    widget.remove();
    this.#live.delete(widget.id);
    this.#known.delete(widget.container);
  }

  /** @returns the token; rejects with ExecutionFault */
  execute(target?: Target): Promise<string> {
    return this.find(target)?.execute() ?? new Execution().end(executionFault("invalid_widget", "ru"));
  }

  watch(alsoNew: boolean): void {
    const check = (): void => {
      for (const widget of this.#live.values()) widget.check();
    };
    document.addEventListener("visibilitychange", check);
    addEventListener("focus", check);
    addEventListener("pageshow", ({ persisted }) => {
      check();
      // The page comes back as it was left; a token that was sent is spent.
      if (persisted) for (const widget of this.#live.values()) if (widget.submitted) widget.reset();
    });
    const sent = ({ target }: Event): void => {
      for (const widget of this.#of(target)) widget.submitted = widget.token !== "";
    };
    addEventListener("submit", sent);
    addEventListener("formdata", sent);
    addEventListener("reset", (event) => {
      if (!event.defaultPrevented) for (const widget of this.#of(event.target)) widget.reset();
    });
    document.addEventListener(
      "securitypolicyviolation",
      ({ effectiveDirective, blockedURI, disposition }) => {
        if (disposition !== "enforce" || !/^(?:frame|child|default)-src$/.test(effectiveDirective)) return;
        if (blockedURI.startsWith(this.#around.origin))
          for (const widget of this.#live.values()) widget.blocked();
      },
    );
    new MutationObserver(() => {
      this.#sort();
      if (alsoNew) this.scan();
    }).observe(document, { childList: true, subtree: true });
  }

  /** Widgets inside a form. */
  #of(form: EventTarget | null): Widget[] {
    return [...this.#live.values()].filter(({ container }) => container.closest("form") === form);
  }

  /** Containers leave the document and come back. */
  #sort(): void {
    for (const widget of this.#live.values())
      if (!widget.container.isConnected) {
        widget.suspend();
        this.#live.delete(widget.id);
      }
  }
}

/** Settings have the names of the attributes without "data-"; true for a flag. */
function setting(settings: Settings, name: string): CallbackSetting | null {
  const value = settings && Object.hasOwn(settings, name) ? settings[name] : undefined;
  if (value === true) return "";
  return typeof value === "string" || typeof value === "function" ? (value as CallbackSetting) : null;
}

start(document.currentScript instanceof HTMLScriptElement ? document.currentScript : null);
