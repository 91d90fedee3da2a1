/** Something with a time limit: `deadline` in milliseconds of `Deadlines.now`, 0 for none; `within` sets a duration. */
export interface Timed {
  deadline: number;
  expired(): void;
}

/** Ticks are this far apart in ms. Twice of it, and what a timer is late, stays below 50. */
const TICK_MS = 20;

/**
 * Deadline of a `Timed` in `ms`, 1 at least. Its time begins with the next tick: the last one is earlier than the moment at which the
 * deadline is set, by as much as the event loop was busy since, and a clock that is read for each would cost 90 ns.
 */
export const within = (ms: number): number => -Math.max(1, ms);

/**
 * Delay of a tick that still counts, in ms: half of the stall for which its watchdog ends a worker. A longer one is a pause (SIGSTOP,
 * a host that was frozen), in which peers may have sent in vain or could not send.
 */
const MAX_DELAY_MS = 500;

/**
 * One coarse timer for all connections: setting a deadline is one assignment, so no request pays for a timer of its own. A member
 * never expires early, and at most two ticks late: one until its time begins, one until its end is noticed. Before it expires, its
 * socket has been read once more: after a hold of the main thread timers run first, and the request that came in time still waits
 * in the kernel.
 */
export class Deadlines {
  readonly #members = new Set<Timed>();
  readonly #time: () => number;
  readonly #longestStep: number;
  readonly #timer: NodeJS.Timeout;
  #expiring: NodeJS.Immediate | undefined;
  #now: number;
  /** Reading of the clock in the last tick. */
  #read: number;

  /** @param time monotonic clock in ms */
  constructor(tickMs = TICK_MS, time = () => performance.now()) {
    this.#time = time;
    this.#longestStep = tickMs + MAX_DELAY_MS;
    this.#now = this.#read = time();
    this.#timer = setInterval(() => this.#tick(), tickMs);
    this.#timer.unref();
  }

  /** Milliseconds of the last tick, without pauses of the process: good enough for limits, free to read. */
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
    // A clock that steps back, by a fault of the host, must not prolong every deadline.
    this.#now += Math.max(0, Math.min(read - this.#read, this.#longestStep));
    this.#read = read;
    let isAnyOver = false;
    for (const member of this.#members) {
      if (member.deadline < 0) member.deadline = this.#now - member.deadline;
      else if (this.#isOver(member)) isAnyOver = true;
    }
    // Immediates run behind the sockets that can be read.
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
