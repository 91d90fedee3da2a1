/** `captcha.js`: a widget in each container, no style sheet, no script and no worker in the page. */
import { after } from "../shared/page.js";
import { Execution, executionFault } from "./execution.js";
import { Modal } from "./modal.js";
import { type CallbackSetting, readOptions } from "./options.js";
import { type PageContext, type Settings, Widget } from "./widget.js";

type Target = string | Element | null | undefined;
const NAME = "spCaptcha";
const CLASS = "sp-captcha";

function start(script: HTMLScriptElement | null): void {
  const address = script?.src.replace(/\/captcha[^/]*$/, "");
  // An element with that id is no own property of the window, so it does not prevent the definition.
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

class Page {
  readonly #around: PageContext;
  /** Widgets in the document. */
  readonly #live = new Map<string, Widget>();
  /** Every container that ever had a widget, weakly referenced; null: the page's script removed it. */
  readonly #widgets = new WeakMap<Element, Widget | null>();
  readonly #observer = new MutationObserver((records) => this.#changed(records));
  #count = 0;
  /** Each change triggers a search for containers. */
  #findsNewContainers = false;

  constructor(base: string) {
    this.#around = {
      base,
      origin: new URL(base).origin,
      clock: {
        monotonic: () => performance.now(),
        wall: () => Date.now(),
        after,
      },
      modal: new Modal(),
      returned: (widget) => this.#keep(widget),
    };
  }

  scan(): void {
    for (const container of document.querySelectorAll(`.${CLASS}`))
      if (!this.#widgets.has(container) && isParsed(container)) this.render(container);
  }

  /** @returns also an existing widget's name, which is drawn again if the page removed it */
  render(target: Target, settings?: Settings): string | undefined {
    const container = typeof target === "string" ? document.querySelector(target) : target;
    if (!(container instanceof HTMLElement)) return undefined;
    const known = this.#widgets.get(container);
    return known?.isDrawn ? known.id : this.#draw(container, known, settings);
  }

  #draw(container: HTMLElement, known: Widget | null | undefined, given?: Settings): string {
    const settings = given ?? known?.settings;
    const form = document.createElement("form");
    const read = readOptions(
      (name) => setting(settings, name) ?? container.getAttribute(`data-${name}`),
      (name) => name in form,
    );
    for (const warning of read.warnings) console.warn(`sp-captcha: ${warning}`);
    // The newest required feature: browsers with it have channels and workers, too.
    if (!("HTMLDialogElement" in globalThis)) read.fault = "unsupported_browser";
    // The name is the same at every load: after a back navigation Chromium loads the frames from their old addresses.
    const widget = known ?? new Widget(`w${++this.#count}`, container, read, this.#around);
    widget.settings = settings;
    widget.isMarked = container.classList.contains(CLASS);
    this.#widgets.set(container, widget);
    this.#keep(widget);
    widget.draw(read);
    return widget.id;
  }

  /** Observes changes around the widget, also in shadow trees and outside of the document. */
  #keep(widget: Widget): void {
    const { container, id } = widget;
    this.#live.set(id, widget);
    this.#observer.observe(container, { childList: true });
    for (let root = container.getRootNode(); root instanceof ShadowRoot; root = root.host.getRootNode())
      this.#observe(root, root);
    this.#around.modal.removeCopies();
  }

  #observe(root: Node, target: EventTarget): void {
    // Frameworks turn an existing element into a container.
    const classes = this.#findsNewContainers ? { attributeFilter: ["class"] } : {};
    this.#observer.observe(root, { childList: true, subtree: true, ...classes });
    for (const type of ["submit", "formdata", "reset"]) target.addEventListener(type, this.#onEvent);
  }

  readonly #onEvent = ({ type, target, defaultPrevented }: Event): void => {
    for (const widget of this.#of(target))
      if (type !== "reset") widget.submitted = widget.token !== "";
      else if (!defaultPrevented) widget.reset();
  };

  /** Name, container or selector; default: the first of the page. */
  find(target?: Target): Widget | undefined {
    if (target === undefined) return this.#live.values().next().value;
    if (typeof target === "string" && this.#live.has(target)) return this.#live.get(target);
    const container = typeof target === "string" ? document.querySelector(target) : target;
    return (container && this.#widgets.get(container)) || undefined;
  }

  remove(target?: Target): void {
    const widget = this.find(target);
    if (widget === undefined) return;
    this.#release(widget);
    this.#widgets.set(widget.container, null);
  }

  #release(widget: Widget): void {
    widget.remove();
    this.#live.delete(widget.id);
    this.#widgets.delete(widget.container);
  }

  /** @returns the token; rejects with ExecutionFault */
  execute(target?: Target): Promise<string> {
    const widget = this.find(target);
    if (widget?.isDrawn === false) this.#draw(widget.container, widget);
    return widget?.execute() ?? new Execution().end(executionFault("invalid_widget", "ru"));
  }

  watch(findsNewContainers: boolean): void {
    this.#findsNewContainers = findsNewContainers;
    this.#observe(document, globalThis);
    const check = (): void => {
      for (const widget of this.#live.values()) widget.check();
    };
    document.addEventListener("visibilitychange", check);
    addEventListener("focus", check);
    addEventListener("pageshow", ({ persisted }) => {
      check();
      // A page from the back/forward cache is as it was left; a submitted token is spent.
      if (persisted) for (const widget of this.#live.values()) if (widget.submitted) widget.reset();
    });
    document.addEventListener(
      "securitypolicyviolation",
      ({ effectiveDirective, blockedURI, disposition }) => {
        if (disposition !== "enforce" || !/^(?:frame|child|default)-src$/.test(effectiveDirective)) return;
        if (blockedURI.startsWith(this.#around.origin))
          for (const widget of this.#live.values()) widget.blocked();
      },
    );
  }

  #of(form: EventTarget | null): Widget[] {
    return [...this.#live.values()].filter(({ container }) => container.closest("form") === form);
  }

  /** Containers may leave the document, return, or be emptied. */
  #changed(records: MutationRecord[]): void {
    const widgets = new Set<Widget | null | undefined>(this.#live.values());
    for (const { target } of records) widgets.add(this.#widgets.get(target as Element));
    for (const widget of widgets) {
      // Frameworks reuse the element for something else.
      if (widget?.isMarked && !widget.isDrawn && !widget.container.classList.contains(CLASS))
        this.#release(widget);
      else if (widget?.isLost()) this.#draw(widget.container, widget);
      if (widget?.container.isConnected === false) {
        widget.suspend();
        this.#live.delete(widget.id);
      }
    }
    this.#around.modal.check();
    if (this.#findsNewContainers) this.scan();
  }
}

/** The parser has left the container: otherwise later content would be added next to the widget. */
function isParsed(container: Element): boolean {
  if (document.readyState !== "loading") return true;
  for (let node: Node | null = container; node !== null; node = node.parentNode)
    if (node.nextSibling !== null) return true;
  return false;
}

/** A setting by the name of its attribute without "data-"; true for a flag. */
function setting(settings: Settings, name: string): CallbackSetting | null {
  const value = settings && Object.hasOwn(settings, name) ? settings[name] : undefined;
  if (value === true) return "";
  return typeof value === "string" || typeof value === "function" ? (value as CallbackSetting) : null;
}

start(document.currentScript instanceof HTMLScriptElement ? document.currentScript : null);
