/** Time in ms before the min rate applies. */
const GRACE = 10_000;

/** With a timeout alone a drip holds a connection for ever. Time in which nobody waits does not count. */
export class MinRate {
  readonly #bytesPerSecond: number;
  #since = 0;
  #pausedAt = 0;

  /** @param bytesPerSecond 0 disables the min rate */
  constructor(bytesPerSecond: number) {
    this.#bytesPerSecond = bytesPerSecond;
  }

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
 * Kernel buffers take from ours in steps, and may take all of it however slow the peer is. So bytes that
 * passed through an empty buffer count as drained, and do not end the measurement.
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

  /** @param unsent unsent bytes of all that were written @returns true if the peer has drained enough so far */
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

  done(now: number): void {
    this.unsent = 0;
    this.#emptyAt = now;
    this.#rate.pause(now);
  }
}
