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

const COUNTS = ["requests", "errors4xx", "errors5xx", "bytesIn", "bytesOut"] as const;

export const nothing = (): ActivityTotals => ({
  ...{ requests: 0, errors4xx: 0, errors5xx: 0, bytesIn: 0, bytesOut: 0 },
  latency: new Float64Array(BUCKETS),
});

export function addTo(sum: ActivityTotals, counted: Activity | ActivityTotals): void {
  for (const name of COUNTS) sum[name] += counted[name];
  for (let i = 0; i < BUCKETS; i += 1) sum.latency[i] = (sum.latency[i] ?? 0) + (counted.latency[i] ?? 0);
}

/** Last hour by seconds, in fixed memory. A latency bucket of one second saturates at 65,535 requests. */
export class ActivityRing {
  readonly #counts = {
    requests: new Uint32Array(RING_SECONDS),
    errors4xx: new Uint32Array(RING_SECONDS),
    errors5xx: new Uint32Array(RING_SECONDS),
    bytesIn: new Float64Array(RING_SECONDS),
    bytesOut: new Float64Array(RING_SECONDS),
  };
  readonly #latency = new Uint16Array(RING_SECONDS * BUCKETS);
  /** Epoch second of the newest sample; 0 before the first. */
  #newest = 0;

  /** @param second epoch second; after the clock was set back, counts are added to the newest second */
  add(second: number, counted: Activity | ActivityTotals): void {
    const at = this.#at(Math.max(second, this.#newest));
    for (const name of COUNTS) this.#counts[name][at] = (this.#counts[name][at] ?? 0) + counted[name];
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
      for (const name of COUNTS) found[name] += this.#counts[name][at] ?? 0;
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
    for (const name of COUNTS) this.#counts[name][at] = 0;
    this.#latency.fill(0, at * BUCKETS, (at + 1) * BUCKETS);
  }
}

/** Decay of a weight in one second: its half-life is ten minutes. */
const DECAY = 0.5 ** (1 / 600);
/** Ratio of weights below which a name is replaced by a new one, so that two equal names do not alternate. */
const CLEARLY_LESS = 0.67;
/** Maximum number of names without a ring whose weight is tracked. */
const MAX_CANDIDATES = 1_000;
const MIN_WEIGHT = 0.01;

interface Place {
  ring: ActivityRing;
  weight: number;
}

/** Rings of the busiest names of a kind, up to a maximum. A name that loses its ring loses its history. */
export class Busiest {
  readonly #most: number;
  readonly #places = new Map<string, Place>();
  readonly #candidates = new Map<string, number>();

  /** @param most maximum number of rings, each of `RING_BYTES` */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param second epoch second of the counts */
  add(second: number, counted: ReadonlyMap<string, ActivityTotals>): void {
    for (const place of this.#places.values()) place.weight *= DECAY;
    for (const [name, weight] of this.#candidates)
      if (weight * DECAY < MIN_WEIGHT) this.#candidates.delete(name);
      else this.#candidates.set(name, weight * DECAY);
    for (const [name, stretch] of counted) {
      const place = this.#placeFor(name, stretch.requests);
      if (place === undefined) continue;
      place.weight += stretch.requests;
      place.ring.add(second, stretch);
    }
  }

  rings(): [name: string, ring: ActivityRing][] {
    return Array.from(this.#places, ([name, { ring }]) => [name, ring]);
  }

  ring(name: string): ActivityRing | undefined {
    return this.#places.get(name)?.ring;
  }

  #placeFor(name: string, requests: number): Place | undefined {
    const known = this.#places.get(name);
    if (known) return known;
    const weight = (this.#candidates.get(name) ?? 0) + requests;
    if (this.#places.size >= this.#most && !this.#makeRoom(weight)) {
      if (this.#candidates.has(name) || this.#candidates.size < MAX_CANDIDATES)
        this.#candidates.set(name, weight);
      return undefined;
    }
    this.#candidates.delete(name);
    const place = { ring: new ActivityRing(), weight: weight - requests };
    this.#places.set(name, place);
    return place;
  }

  /** @returns true if a lighter name lost its ring */
  #makeRoom(weight: number): boolean {
    let lightest: [name: string, weight: number] | undefined;
    for (const [name, place] of this.#places)
      if (lightest === undefined || place.weight < lightest[1]) lightest = [name, place.weight];
    if (lightest === undefined || lightest[1] > weight * CLEARLY_LESS) return false;
    return this.#places.delete(lightest[0]);
  }
}

/** Latencies in ms below which a share of requests stayed; null if there were none. */
export interface Percentiles {
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

/** @param counts requests by latency: one for each of `LATENCY_BUCKETS`, and one above all */
export function percentilesOf(counts: ArrayLike<number>): Percentiles {
  return { p50: percentile(counts, 0.5), p95: percentile(counts, 0.95), p99: percentile(counts, 0.99) };
}

/**
 * Interpolates linearly within a bucket, as Prometheus' `histogram_quantile` does. Above the last bound the
 * latency is unknown, so that bound is returned.
 */
function percentile(counts: ArrayLike<number>, share: number): number | null {
  let all = 0;
  for (let i = 0; i < counts.length; i += 1) all += counts[i] ?? 0;
  if (all === 0) return null;
  const wanted = all * share;
  let below = 0;
  for (let i = 0; i < LATENCY_BUCKETS.length; i += 1) {
    const count = counts[i] ?? 0;
    if (count > 0 && below + count >= wanted) {
      const from = LATENCY_BUCKETS[i - 1] ?? 0;
      const to = LATENCY_BUCKETS[i] ?? from;
      return rounded(from + ((to - from) * (wanted - below)) / count);
    }
    below += count;
  }
  return LATENCY_BUCKETS[LATENCY_BUCKETS.length - 1] ?? null;
}

const rounded = (milliseconds: number) => Math.round(milliseconds * 100) / 100;
