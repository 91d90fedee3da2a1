import type { FrameConfiguration } from "../shared/configuration.js";
import type { WidgetFault } from "../shared/messages.js";
import { say } from "../shared/page.js";
import { drawnBox } from "./drawn.js";
import type { BoxState } from "./flow.js";
import { boxText } from "./texts.js";

export class BoxView {
  readonly #configuration: FrameConfiguration;
  readonly #drawn: ReturnType<typeof drawnBox>;
  #state: BoxState = "idle";

  constructor(configuration: FrameConfiguration) {
    this.#configuration = configuration;
    this.#drawn = drawnBox(configuration);
    document.body.append(this.root);
  }

  get checkbox(): HTMLInputElement {
    return this.#drawn.checkbox;
  }

  /** Element that must be visible if the frame is visible. */
  get root(): HTMLElement {
    return this.#drawn.root;
  }

  compact(): void {
    this.root.classList.add("compact");
  }

  show(state: BoxState, fault?: WidgetFault): void {
    const { language } = this.#configuration;
    const { root, checkbox, label, note, region } = this.#drawn;
    const before = this.#state;
    const off = fault !== undefined && !fault.retryable;
    this.#state = state;
    root.dataset["state"] = state;
    checkbox.checked = state === "verified";
    checkbox.disabled = off;
    root.classList.toggle("off", off);
    // Not `disabled` while busy: that would drop the focus.
    checkbox.setAttribute("aria-disabled", String(state === "scoring" || state === "task"));
    const words = boxText(off ? "off" : state, language);
    label.textContent = words;
    note.textContent = fault?.message ?? "";
    const closed = state === "idle" && (before === "scoring" || before === "task");
    if (state === "idle" && !closed) region.textContent = "";
    else
      say(
        region,
        closed
          ? boxText("closed", language)
          : state === "task"
            ? boxText("taskSaid", language)
            : `${fault?.message ?? ""} ${words}`.trim(),
      );
  }
}
