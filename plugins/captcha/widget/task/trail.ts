import type { TaskTrail } from "../../service/protocol.js";

const MAX_STEPS = 30;
/** Maximum time in ms between events of a dragged slider or a held key that count as one step. */
const DRAW = 150;

/** Time and device of each step, never its position (reference 4.4). */
export class Trail {
  readonly #start: number;
  readonly #now: () => number;
  readonly #steps: number[] = [];
  readonly #kinds = new Set<Exclude<TaskTrail["input"], "mixed">>();
  #events = 0;
  #trusted = 0;
  #samples = 0;
  #last = { what: "", at: Number.NEGATIVE_INFINITY };

  /** @param now monotonic ms; the task is visible */
  constructor(now: () => number) {
    this.#now = now;
    this.#start = now();
  }

  moved(): void {
    this.#samples = Math.min(1_000_000, this.#samples + 1);
  }

  /** @param what the control, for steps in a stream; "" for all others */
  step(kind: Exclude<TaskTrail["input"], "mixed">, trusted: boolean, what = ""): void {
    this.#kinds.add(kind);
    this.#events++;
    if (trusted) this.#trusted++;
    const at = this.#now() - this.#start;
    const continued = what !== "" && what === this.#last.what && at - this.#last.at < DRAW;
    this.#last = { what, at };
    if (!continued && this.#steps.length < MAX_STEPS) this.#steps.push(Math.round(at));
  }

  take(): TaskTrail {
    const [kind, other] = this.#kinds;
    return {
      steps: this.#steps,
      input: other === undefined ? (kind ?? "assistive") : "mixed",
      trusted: this.#events === 0 ? 1 : this.#trusted / this.#events,
      pointer_samples: this.#samples,
    };
  }
}
