/** Time in ms before the min rate applies. */
const GRACE = 10_000;

/**
 * Average rate of a body in comparison with a min rate. A timeout between pieces alone lets a drip of one
 * byte hold a connection for ever. Time in which nobody waits for the peer does not count.
 */
export class MinRate {
  readonly #bytesPerSecond: number;
  #since = 0;
  #pausedAt = 0;

  /** @param bytesPerSecond 0 disables the min rate */
  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

  /** Starts waiting for the peer. */
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

  /** Reports whether `moved` bytes since the start are too few. */
  isBelow(now: number, moved: number): boolean {
    const due = ((now - this.#since - GRACE) / 1_000) * this.#bytesPerSecond;
    return due > 0 && moved < due;
  }
}

/**
 * Progress of a peer that drains output. Kernel buffers take from ours in steps, and may take all of it
 * repeatedly however slow the peer is. So an empty buffer does not end the measurement, and bytes that passed
 * through an empty one count as drained.
 */
export class WriteProgress {
  /** Unsent bytes at the last look; 0 for none. */
  unsent = 0;
  #offered = 0;
  #emptyAt = 0;
  readonly #rate: MinRate;

  constructor(bytesPerSecond: number) {
    this.#rate = new MinRate(bytesPerSecond);
  }

  /**
   * Counts written bytes.
   * @param unsent unsent bytes of all that were written
   * @returns true if the peer has drained enough so far
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

  /** Counts bytes that were written without waiting. */
  passed(bytes: number): void {
    if (this.#offered !== 0) this.#offered += bytes;
  }

  /** Reports whether the peer has drained some bytes since the last look, and enough. */
  goesOn(now: number, unsent: number): boolean {
    const moved = unsent !== 0 && unsent !== this.unsent;
    this.unsent = unsent;
    return moved && !this.#rate.isBelow(now, this.#offered - unsent);
  }

  /** Marks all output as sent. */
  done(now: number): void {
    this.unsent = 0;
    this.#emptyAt = now;
    this.#rate.pause(now);
  }
}
