import type { WidgetFault } from "../shared/messages.js";
import { callbackOf } from "./names.js";
import type { CallbackKind, CallbackSetting, WidgetOptions } from "./options.js";

/** The page's function first, then an event at the container for pages without global functions (H18). */
export class Announcer {
  readonly #container: Element;
  readonly #callbacks: () => WidgetOptions["callbacks"];
  readonly #lost: () => void;

  /** @param lost called if a named function does not exist */
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
      // A missing error callback cannot report itself.
      if (kind !== "error-callback") this.#lost();
      return;
    }
    try {
      call(...values);
    } catch (error) {
      // The page's own error handling gets an error of its function; the widget goes on (H19).
      reportError(error);
    }
  }
}
