import type { Telemetry } from "../../service/protocol.js";

/** The path itself is not stored: at most 60 samples, 20 a second (reference 3.2 C). */
type PathStatistics = Pick<Telemetry["activation"], "samples" | "path_ratio" | "speed_variation" | "turns">;

const MAX_SAMPLES = 60;
const MIN_GAP = 50;
/** Minimum change of direction in radians. */
const TURN = 0.5;

export class PointerPath {
  #samples = 0;
  #first = { x: 0, y: 0 };
  #last = { x: 0, y: 0, t: 0 };
  #direction: number | undefined;
  #length = 0;
  #turns = 0;
  // Welford's running mean and sum of squares of the speeds.
  #speeds = 0;
  #mean = 0;
  #squares = 0;

  get samples(): number {
    return this.#samples;
  }

  /** @param t monotonic time in ms */
  add(x: number, y: number, t: number): void {
    if (this.#samples === 0) this.#first = { x, y };
    else {
      const gap = t - this.#last.t;
      if (gap < MIN_GAP || this.#samples >= MAX_SAMPLES) return;
      this.#step(x - this.#last.x, y - this.#last.y, gap);
    }
    this.#samples++;
    this.#last = { x, y, t };
  }

  #step(dx: number, dy: number, gap: number): void {
    const length = Math.hypot(dx, dy);
    this.#length += length;
    const speed = length / gap;
    this.#speeds++;
    const before = speed - this.#mean;
    this.#mean += before / this.#speeds;
    this.#squares += before * (speed - this.#mean);
    if (length === 0) return;
    const direction = Math.atan2(dy, dx);
    const change = this.#direction === undefined ? 0 : Math.abs(direction - this.#direction);
    if (Math.min(change, 2 * Math.PI - change) > TURN) this.#turns++;
    this.#direction = direction;
  }

  /** Time in ms since the last sample, at `t`. */
  pause(t: number): number {
    return this.#samples === 0 ? 0 : Math.max(0, t - this.#last.t);
  }

  statistics(): PathStatistics {
    const straight = Math.hypot(this.#last.x - this.#first.x, this.#last.y - this.#first.y);
    return {
      samples: this.#samples,
      path_ratio: straight === 0 ? 0 : short(this.#length / straight),
      speed_variation: this.#mean === 0 ? 0 : short(this.#squares / this.#speeds / this.#mean ** 2),
      turns: this.#turns,
    };
  }
}

/** Four digits are enough for a score and reveal no more than it needs. */
export const short = (value: number): number => Math.min(1e6, Math.round(value * 1e4) / 1e4);
