import type { FrameConfiguration } from "../shared/configuration.js";
import type { WidgetFault } from "../shared/messages.js";
import { element, icon, say } from "../shared/page.js";
import type { BoxState } from "./flow.js";
import { boxText } from "./texts.js";

/** Shield with a tick. */
const SHIELD =
  "M12 2 4 5v6c0 5.2 3.4 9.7 8 11 4.6-1.3 8-5.8 8-11V5Zm-1.2 13.6L7.4 12.2l1.5-1.5 1.9 1.9 4.3-4.3 1.5 1.5Z";

/** The checkbox with its words. */
export class BoxView {
  readonly checkbox: HTMLInputElement;
  readonly #configuration: FrameConfiguration;
  readonly #root: HTMLElement;
  readonly #label: HTMLElement;
  readonly #note: HTMLElement;
  readonly #region: HTMLElement;
  #state: BoxState = "idle";

  constructor(configuration: FrameConfiguration) {
    const { language, test } = configuration;
    this.#configuration = configuration;
    this.checkbox = element("input", { type: "checkbox", id: "box", "aria-describedby": "note" });
    this.#label = element("span", { class: "words" }, boxText("idle", language));
    this.#note = element("p", { class: "note", id: "note" });
    this.#region = element("div", { class: "said", role: "status" });
    this.#root = element(
      "main",
      { class: test ? "box test" : "box", "data-state": "idle" },
      element(
        "label",
        { class: "tick", for: "box" },
        element(
          "span",
          { class: "field" },
          this.checkbox,
          element("span", { class: "mark", "aria-hidden": "true" }),
        ),
        element("span", { class: "text" }, this.#label),
      ),
      this.#note,
      element(
        "span",
        { class: "brand", "aria-hidden": "true" },
        icon(SHIELD, 26),
        element("span", {}, "sp-captcha"),
      ),
      test ? element("span", { class: "ribbon" }, boxText("test", language)) : undefined,
      this.#region,
    );
    document.body.append(this.#root);
  }

  /** What has to be seen for the frame to be seen. */
  get root(): HTMLElement {
    return this.#root;
  }

  compact(): void {
    this.#root.classList.add("compact");
  }

  show(state: BoxState, fault?: WidgetFault): void {
    const { language } = this.#configuration;
    const before = this.#state;
    const off = fault !== undefined && !fault.retryable;
    this.#state = state;
    this.#root.dataset["state"] = state;
    this.checkbox.checked = state === "verified";
    this.checkbox.disabled = off;
    this.#root.classList.toggle("off", off);
    // Not `disabled` while busy: that would drop the focus.
    this.checkbox.setAttribute("aria-disabled", String(state === "scoring" || state === "task"));
    const words = boxText(off ? "off" : state, language);
    this.#label.textContent = words;
    this.#note.textContent = fault?.message ?? "";
    const closed = state === "idle" && (before === "scoring" || before === "task");
    if (state === "idle" && !closed) this.#region.textContent = "";
    else
      say(
        this.#region,
        closed
          ? boxText("closed", language)
          : state === "task"
            ? boxText("taskSaid", language)
            : `${fault?.message ?? ""} ${words}`.trim(),
      );
  }
}
