/** Milliseconds that a peer may take however little it moves. */
const GRACE = 10_000;

/**
 * Whether a peer moves a body at a least number of bytes a second, on the mean. A limit between two pieces alone lets a drip of one
 * byte hold a connection for ever. Time in which nobody waits for the peer does not count.
 */
export class MinRate {
  readonly #bytesPerSecond: number;
  #since = 0;
  #pausedAt = 0;

  /** @param bytesPerSecond 0: no least rate */
  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** From now on the peer is waited for. */
  start(now: number): void {
    this.#since = now;
    this.#pausedAt = 0;
  }

  pause(now: number): void {
    if (this.#pausedAt === 0) this.#pausedAt = now;
  }

  resume(now: number): void {
    if (this.#pausedAt !== 0) this.#since += now - this.#pausedAt;
    this.#pausedAt = 0;
  }

  /** Whether these are too few bytes since the start. */
  isBelow(now: number, moved: number): boolean {
    const due = ((now - this.#since - GRACE) / 1_000) * this.#bytesPerSecond;
    return due > 0 && moved < due;
  }
}

/**
 * Whether a peer takes what is written to it. Buffers of the kernel take from ours in steps, and all of it again and again however
 * slow the peer is: an empty buffer is no end of the account, and what passed through an empty one counts as taken.
 */
export class WriteProgress {
  /** Bytes that waited when it was last looked at; 0: none. */
  unsent = 0;
  #offered = 0;
  #emptyAt = 0;
  readonly #rate: MinRate;

  constructor(bytesPerSecond: number) {
    this.#rate = new MinRate(bytesPerSecond);
  }

  /**
   * Bytes were written, and so many of all that were wait now.
   * @returns whether the peer has taken enough until now
   */
  offer(now: number, bytes: number, unsent: number): boolean {
    if (this.#offered === 0 || (this.unsent === 0 && now - this.#emptyAt > GRACE)) {
      this.#offered = 0;
      this.#rate.start(now);
    } else this.#rate.resume(now);
    this.#offered += bytes;
    this.unsent = unsent;
    return !this.#rate.isBelow(now, this.#offered - unsent);
  }

  /** Bytes were written that did not wait. */
  passed(bytes: number): void {
    if (this.#offered !== 0) this.#offered += bytes;
  }

  /** Whether the peer has taken some of it since it was last looked at, and enough. */
  goesOn(now: number, unsent: number): boolean {
    const moved = unsent !== 0 && unsent !== this.unsent;
    this.unsent = unsent;
    return moved && !this.#rate.isBelow(now, this.#offered - unsent);
  }

  /** Nothing waits any more. */
  done(now: number): void {
    this.unsent = 0;
    this.#emptyAt = now;
    this.#rate.pause(now);
  }
}
