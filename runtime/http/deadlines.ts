/** Something with a time limit: `deadline` in milliseconds of `Deadlines.now`, 0 for none. */
export interface Timed {
  deadline: number;
  expired(): void;
}

/**
 * Delay of a tick that still counts, in ms: half of the stall for which its watchdog ends a worker. A longer one is a pause (SIGSTOP,
 * a host that was frozen), in which peers may have sent in vain or could not send.
 */
const MAX_DELAY_MS = 500;

/**
 * One coarse timer for all connections: setting a deadline is one assignment, so no request pays for a timer of its own.
 * A deadline is noticed at most one tick late. Before a member expires, its socket has been read once more: after a hold
 * of the main thread timers run first, and the request that came in time still waits in the kernel.
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
  constructor(tickMs = 100, time = () => performance.now()) {
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
    for (const member of this.#members) {
      if (!this.#isOver(member)) continue;
      // Immediates run behind the sockets that can be read.
      this.#expiring ??= setImmediate(this.#expire);
      return;
    }
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
    return deadline !== 0 && deadline < this.#now;
  }
}
