import type { Activity } from "../../process/activity.js";
import { LATENCY_BUCKETS } from "../../proxy/host/request-metrics.js";

export const RING_SECONDS = 3_600;
const BUCKETS = LATENCY_BUCKETS.length + 1;
const MAX_OF_A_BUCKET = 65_535;
/** Size of one ring in bytes: 3 counts, 2 sums and the latencies of each second. Untouched pages are free. */
export const RING_BYTES = RING_SECONDS * (3 * 4 + 2 * 8 + BUCKETS * 2);

export interface ActivityTotals extends Omit<Activity, "latency"> {
  latency: Float64Array;
}

export const nothing = (): ActivityTotals => ({
  requests: 0,
  errors4xx: 0,
  errors5xx: 0,
  bytesIn: 0,
  bytesOut: 0,
  latency: new Float64Array(BUCKETS),
});

export function addTo(sum: ActivityTotals, { latency, ...counted }: Activity | ActivityTotals): void {
  sum.requests += counted.requests;
  sum.errors4xx += counted.errors4xx;
  sum.errors5xx += counted.errors5xx;
  sum.bytesIn += counted.bytesIn;
  sum.bytesOut += counted.bytesOut;
  for (let i = 0; i < BUCKETS; i += 1) sum.latency[i] = (sum.latency[i] ?? 0) + (latency[i] ?? 0);
}

/** Last hour by seconds, in fixed memory. A latency bucket of one second saturates at 65,535 requests. */
export class ActivityRing {
  readonly #requests = new Uint32Array(RING_SECONDS);
  readonly #errors4xx = new Uint32Array(RING_SECONDS);
  readonly #errors5xx = new Uint32Array(RING_SECONDS);
  readonly #bytesIn = new Float64Array(RING_SECONDS);
  readonly #bytesOut = new Float64Array(RING_SECONDS);
  readonly #latency = new Uint16Array(RING_SECONDS * BUCKETS);
  /** Epoch second of the newest sample; 0 before the first. */
  #newest = 0;

  /** @param second epoch second; after the clock was set back, counts are added to the newest second */
  add(second: number, counted: Activity | ActivityTotals): void {
    const at = this.#at(Math.max(second, this.#newest));
    this.#requests[at] = (this.#requests[at] ?? 0) + counted.requests;
    this.#errors4xx[at] = (this.#errors4xx[at] ?? 0) + counted.errors4xx;
    this.#errors5xx[at] = (this.#errors5xx[at] ?? 0) + counted.errors5xx;
    this.#bytesIn[at] = (this.#bytesIn[at] ?? 0) + counted.bytesIn;
    this.#bytesOut[at] = (this.#bytesOut[at] ?? 0) + counted.bytesOut;
    for (let i = 0; i < BUCKETS; i += 1) {
      const place = at * BUCKETS + i;
      const count = (this.#latency[place] ?? 0) + (counted.latency[i] ?? 0);
      this.#latency[place] = Math.min(MAX_OF_A_BUCKET, count);
    }
  }

  /** Sums from `from` (epoch second) to before `to`; anything older than the ring is excluded. */
  sum(from: number, to: number): ActivityTotals {
    const found = nothing();
    const first = Math.max(from, this.#newest - RING_SECONDS + 1);
    for (let second = first; second < to && second <= this.#newest; second += 1) {
      const at = second % RING_SECONDS;
      found.requests += this.#requests[at] ?? 0;
      found.errors4xx += this.#errors4xx[at] ?? 0;
      found.errors5xx += this.#errors5xx[at] ?? 0;
      found.bytesIn += this.#bytesIn[at] ?? 0;
      found.bytesOut += this.#bytesOut[at] ?? 0;
      for (let i = 0; i < BUCKETS; i += 1)
        found.latency[i] = (found.latency[i] ?? 0) + (this.#latency[at * BUCKETS + i] ?? 0);
    }
    return found;
  }

  #at(second: number): number {
    const from = Math.max(this.#newest + 1, second - RING_SECONDS + 1);
    for (let skipped = from; skipped <= second; skipped += 1) this.#clear(skipped % RING_SECONDS);
    this.#newest = second;
    return second % RING_SECONDS;
  }

  #clear(at: number): void {
    this.#requests[at] = 0;
    this.#errors4xx[at] = 0;
    this.#errors5xx[at] = 0;
    this.#bytesIn[at] = 0;
    this.#bytesOut[at] = 0;
    this.#latency.fill(0, at * BUCKETS, (at + 1) * BUCKETS);
  }
}
