import type { Telemetry } from "../../service/protocol.js";
import { ActivationWatch, BY_CODE } from "./activation.js";
import { findContradictions, readEnvironment } from "./contradictions.js";
import { findMarks, permissionsDiffer } from "./marks.js";
import { Visibility } from "./visibility.js";

/** Aggregates, about 400 bytes. */
export class Collector {
  readonly #activation: ActivationWatch;
  readonly #sight: Visibility;
  readonly #loaded = performance.now();
  #differ = false;
  #contradictions: Telemetry["contradictions"] | undefined;

  constructor(box: HTMLElement, seen: Element) {
    this.#activation = new ActivationWatch(box);
    this.#sight = new Visibility(seen);
    permissionsDiffer().then((differ) => {
      this.#differ = differ;
    });
    // Reading the renderer takes tens of milliseconds, so it is done before the tick.
    setTimeout(() => this.#environment(), 200);
  }

  #environment(): Telemetry["contradictions"] {
    this.#contradictions ??= findContradictions(readEnvironment());
    return this.#contradictions;
  }

  /** Pointer samples since the load of the frame. */
  get moves(): number {
    return this.#activation.moves;
  }

  /** @param click undefined: no click, the page's script started the attempt */
  take(click: MouseEvent | undefined): Telemetry {
    return {
      v: 1,
      marks: findMarks(this.#differ),
      contradictions: this.#environment(),
      activation: click === undefined ? BY_CODE : this.#activation.take(click),
      load_to_tick_ms: Math.min(86_400_000, Math.round(performance.now() - this.#loaded)),
      hidden_at_tick: document.visibilityState === "hidden",
      focused: document.hasFocus(),
      visible: click === undefined ? null : this.#sight.visible,
    };
  }
}
