import type { WidgetFault } from "../shared/messages.js";
import { callbackOf } from "./names.js";
import type { CallbackKind, CallbackSetting, WidgetOptions } from "./options.js";

/** Tells the page: its function first, then an event from the container, for pages that cannot have global functions (H18). */
export class Announcer {
  readonly #container: Element;
  readonly #callbacks: () => WidgetOptions["callbacks"];
  readonly #lost: () => void;

  /** @param lost a function was named that is not there */
  constructor(container: Element, callbacks: () => WidgetOptions["callbacks"], lost: () => void) {
    this.#container = container;
    this.#callbacks = callbacks;
    this.#lost = lost;
  }

  success(token: string): void {
    this.#call("callback", token);
    this.event("success", { token });
  }

  expired(): void {
    this.#call("expired-callback");
    this.event("expired");
  }

  error({ code, message, retryable }: WidgetFault): void {
    const detail = { code, message, retryable };
    console.error(`sp-captcha: ${code}`);
    this.#call("error-callback", { ...detail });
    this.event("error", detail);
  }

  event(name: "success" | "expired" | "error" | "open" | "close", detail: object | null = null): void {
    this.#container.dispatchEvent(
      new CustomEvent(`sp-captcha:${name}`, { detail, bubbles: true, composed: true }),
    );
  }

  #call(kind: CallbackKind, ...values: unknown[]): void {
    const setting: CallbackSetting | null = this.#callbacks()[kind];
    if (!setting) return;
    const call =
      typeof setting === "string"
        ? callbackOf(setting, globalThis)
        : (setting as (...values: unknown[]) => unknown);
    if (call === undefined) {
      console.error(`sp-captcha: data-${kind}: not found`);
      // A lost error callback cannot be told through itself.
      if (kind !== "error-callback") this.#lost();
      return;
    }
    try {
      call(...values);
    } catch (error) {
      // The page's mistake is the page's: its own error handling gets it, the widget goes on (H19).
      reportError(error);
    }
  }
}
