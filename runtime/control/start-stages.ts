import { log } from "../process/log.js";
import { type Starting, type StartStage, startingAt } from "../process/starting.js";

/** Stages of a start, each logged and shown by readiness until the gateway is ready. */
export class StartStages {
  #current: Starting | undefined;
  #begun = 0;
  readonly #onStage: (starting: Starting) => void;

  constructor(told: (starting: Starting) => void) {
    this.#onStage = told;
  }

  /** Current stage; undefined before the first and after the last. */
  get current(): Starting | undefined {
    return this.#current;
  }

  enter(stage: StartStage, counts: Readonly<Record<string, number>> = {}): void {
    const before = this.#current && { after: this.#current.stage, after_ms: this.#elapsed() };
    this.#begun = performance.now();
    this.#current = startingAt(stage, counts);
    log("start_stage", { stage, ...counts, ...before });
    this.#onStage(this.#current);
  }

  end(): void {
    this.#current = undefined;
  }

  #elapsed(): number {
    return Math.round(performance.now() - this.#begun);
  }
}
