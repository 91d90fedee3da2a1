import type { TaskTrail } from "../../service/protocol.js";

type Kind = Exclude<TaskTrail["input"], "mixed">;

/** Time in ms for which a press explains the events after it. */
const RECENT = 1_500;

/** Judges by the last press of a pointer or a key. */
export class PointerSource {
  #last: { kind: Kind; at: number } | undefined;
  moved: () => void = () => {};

  constructor() {
    const options = { passive: true, capture: true };
    addEventListener("pointermove", () => this.moved(), options);
    addEventListener(
      "pointerdown",
      ({ pointerType, timeStamp }) => {
        const kind = pointerType === "touch" || pointerType === "pen" ? pointerType : "mouse";
        this.#last = { kind, at: timeStamp };
      },
      options,
    );
    addEventListener(
      "keydown",
      ({ timeStamp }) => (this.#last = { kind: "keyboard", at: timeStamp }),
      options,
    );
  }

  /** @returns "assistive" for an event without a press: switch control and screen readers click by themselves */
  kindOf({ timeStamp }: Event): Kind {
    return this.#last !== undefined && timeStamp - this.#last.at < RECENT ? this.#last.kind : "assistive";
  }
}
