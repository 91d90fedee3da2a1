import type { Telemetry } from "../../service/protocol.js";
import { ActivationWatch, BY_CODE } from "./activation.js";
import { findContradictions, readEnvironment } from "./contradictions.js";
import { findMarks, permissionsDiffer } from "./marks.js";

/** IntersectionObserver v2, which TypeScript's DOM does not have yet. */
interface VisibilityOptions extends IntersectionObserverInit {
  trackVisibility: boolean;
  delay: number;
}

/** Nothing of the page covers, fades or transforms the frame (A68). */
class Visibility {
  /** null: this browser cannot tell, or has not yet. */
  visible: boolean | null = null;

  constructor(target: Element) {
    const options: VisibilityOptions = { trackVisibility: true, delay: 100, threshold: [0, 1] };
    const observer = new IntersectionObserver((entries) => {
      const last = entries.at(-1) as (IntersectionObserverEntry & { isVisible?: boolean }) | undefined;
      // A frame that is half scrolled out is not "visible" either; that proves nothing, so only whole ones count.
      if (last?.isVisible !== undefined && last.intersectionRatio > 0.95) this.visible = last.isVisible;
    }, options);
    observer.observe(target);
  }
}

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
