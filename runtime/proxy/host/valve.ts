/** Stops and starts something that several have a reason to stop: it runs while none has. */
export class Valve<Reason extends string> {
  readonly #reasons = new Set<Reason>();
  readonly #stop: () => void;
  readonly #start: () => void;

  constructor(stop: () => void, start: () => void) {
    this.#stop = stop;
    this.#start = start;
  }

  close(reason: Reason): void {
    if (this.#reasons.size === 0) this.#stop();
    this.#reasons.add(reason);
  }

  open(reason: Reason): void {
    if (this.#reasons.delete(reason) && this.#reasons.size === 0) this.#start();
  }
}
