/** Object with a deadline in ms of `Deadlines.now`; 0 for none. `within` sets a duration. */
export interface Timed {
  deadline: number;
  expired(): void;
}

/** Interval of ticks in ms. Twice the interval plus the delay of the timer stays below 50. */
const TICK_MS = 20;

/**
 * Timeout in ms, at least 1, as a deadline. It starts with the next tick: the last one is too early if the
 * event loop was busy. Reading a clock for each would cost 90 ns.
 */
export const within = (ms: number): number => -Math.max(1, ms);

/**
 * Maximum delay of a tick that counts, in ms: half of the stall for which the watchdog ends a worker. A
 * longer delay is a pause (SIGSTOP, a frozen host), in which peers may have sent in vain or could not send.
 */
const MAX_DELAY_MS = 500;

/**
 * Coarse timer of all connections: a deadline is one assignment. It never expires early, and at most two
 * ticks late. The socket is read once more before: after a stall timers run first, while a request that came
 * in time is still in the kernel.
 */
export class Deadlines {
  readonly #members = new Set<Timed>();
  readonly #time: () => number;
  readonly #longestStep: number;
  readonly #timer: NodeJS.Timeout;
  #expiring: NodeJS.Immediate | undefined;
  #now: number;
  /** Clock reading of the last tick. */
  #read: number;

  /** @param time monotonic clock in ms */
  constructor(tickMs = TICK_MS, time = () => performance.now()) {
    this.#time = time;
    this.#longestStep = tickMs + MAX_DELAY_MS;
    this.#now = this.#read = time();
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#timer.unref();
  }

  /** Time of the last tick in ms, without pauses of the process; precise enough for limits, and free to read. */
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
    clearImmediate(this.#expiring);
  }

  #tick(): void {
    const read = this.#time();
    // A clock that steps back, by a fault of the host, must not extend every deadline.
    this.#now += Math.max(0, Math.min(read - this.#read, this.#longestStep));
    this.#read = read;
    let isAnyOver = false;
    for (const member of this.#members) {
      if (member.deadline < 0) member.deadline = this.#now - member.deadline;
      else if (this.#isOver(member)) isAnyOver = true;
    }
    // Immediates run after reads of the sockets.
    if (isAnyOver) this.#expiring ??= setImmediate(this.#expire);
  }

  readonly #expire = (): void => {
    this.#expiring = undefined;
    for (const member of this.#members) {
      if (!this.#isOver(member)) continue;
      member.deadline = 0;
      member.expired();
    }
  };

  #isOver({ deadline }: Timed): boolean {
    return deadline > 0 && deadline < this.#now;
  }
}
