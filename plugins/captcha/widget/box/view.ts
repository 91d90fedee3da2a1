import type { FrameConfiguration } from "../shared/configuration.js";
import type { WidgetFault } from "../shared/messages.js";
import { say } from "../shared/page.js";
import { drawnBox } from "./drawn.js";
import type { BoxState } from "./flow.js";
import { boxText } from "./texts.js";

export class BoxView {
  readonly checkbox: HTMLInputElement;
  readonly #configuration: FrameConfiguration;
  readonly #root: HTMLElement;
  readonly #label: HTMLElement;
  readonly #note: HTMLElement;
  readonly #region: HTMLElement;
  #state: BoxState = "idle";

  constructor(configuration: FrameConfiguration) {
    this.#configuration = configuration;
    const drawn = drawnBox(configuration);
    this.checkbox = drawn.checkbox;
    this.#label = drawn.label;
    this.#note = drawn.note;
    this.#region = drawn.region;
    this.#root = drawn.root;
    document.body.append(this.#root);
  }

  /** Element that must be visible if the frame is visible. */
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
