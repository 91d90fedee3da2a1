/** Something with a time limit: `deadline` in milliseconds of `now()`, 0 for none. */
export interface Timed {
  deadline: number;
  expired(): void;
}

/**
 * One coarse timer for all connections: setting a deadline is one assignment, so no request pays for a timer of its own.
 * A deadline is noticed at most one tick late.
 */
export class Deadlines {
  readonly #members = new Set<Timed>();
  readonly #timer: NodeJS.Timeout;
  #now = performance.now();

  constructor(tickMs = 100) {
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#timer.unref();
  }

  /** Milliseconds of the last tick: good enough for limits, free to read. */
  get now(): number {
    return this.#now;
  }

  add(member: Timed): void {
    this.#members.add(member);
  }

  delete(member: Timed): void {
    this.#members.delete(member);
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #tick(): void {
    this.#now = performance.now();
    for (const member of this.#members) {
      if (member.deadline !== 0 && member.deadline < this.#now) {
        member.deadline = 0;
        member.expired();
      }
    }
  }
}
