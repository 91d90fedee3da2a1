/** Action that runs once: when no request of a generation and of older ones is left, or at a deadline. */
export class Release {
  #action: (() => void) | undefined;

  constructor(action: () => void) {
    this.#action = action;
  }

  get done(): boolean {
    return this.#action === undefined;
  }

  run(): void {
    const action = this.#action;
    this.#action = undefined;
    action?.();
  }
}

/** Runs releases that are still due after `delayMs`, with one timer for all. */
export class ReleaseDeadline {
  readonly #delayMs: number;
  #waiting: { release: Release; at: number }[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  add(releases: readonly Release[]): void {
    const at = Date.now() + this.#delayMs;
    for (const release of releases) if (!release.done) this.#waiting.push({ release, at });
    this.#arm();
  }

  #arm(): void {
    const [first] = this.#waiting;
    if (this.#timer !== undefined || first === undefined) return;
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, first.at - Date.now()));
    this.#timer.unref();
  }

  #fire(): void {
    this.#timer = undefined;
    const now = Date.now();
    const due = this.#waiting.filter(({ at }) => at <= now);
    this.#waiting = this.#waiting.filter(({ at, release }) => at > now && !release.done);
    for (const { release } of due) release.run();
    this.#arm();
  }
}
