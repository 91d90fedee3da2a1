import type { ActivityTotals } from "./ring.js";
import { ActivityRing } from "./ring.js";

/** Share of a weight that a second leaves: half of it is of the last ten minutes. */
const KEPT = 0.5 ** (1 / 600);
/** A newcomer takes a place from one that weighs less than this part of it, so that two alike do not take turns. */
const CLEARLY_LESS = 0.67;
/** Names without a place whose weight is known. */
const MAX_CANDIDATES = 1_000;
/** Below it nobody remembers that there were requests. */
const FORGOTTEN = 0.01;

interface Place {
  ring: ActivityRing;
  weight: number;
}

/** Rings for the busiest names of a kind, as many as there are places. A name that loses its place loses its past. */
export class Busiest {
  readonly #most: number;
  readonly #places = new Map<string, Place>();
  readonly #candidates = new Map<string, number>();

  /** @param most places, each of `RING_BYTES` */
  constructor(most: number) {
    this.#most = most;
  }

  /** @param second epoch second in which it was counted */
  add(second: number, counted: ReadonlyMap<string, ActivityTotals>): void {
    for (const place of this.#places.values()) place.weight *= KEPT;
    for (const [name, weight] of this.#candidates)
      if (weight * KEPT < FORGOTTEN) this.#candidates.delete(name);
      else this.#candidates.set(name, weight * KEPT);
    for (const [name, stretch] of counted) {
      const place = this.#placeFor(name, stretch.requests);
      if (place === undefined) continue;
      place.weight += stretch.requests;
      place.ring.add(second, stretch);
    }
  }

  /** Rings by their names. */
  rings(): [name: string, ring: ActivityRing][] {
    return Array.from(this.#places, ([name, { ring }]) => [name, ring]);
  }

  /** Ring of one name; undefined if it has none. */
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

  /** @returns whether somebody gives a place to one of this weight */
  #makeRoom(weight: number): boolean {
    let lightest: [name: string, weight: number] | undefined;
    for (const [name, place] of this.#places)
      if (lightest === undefined || place.weight < lightest[1]) lightest = [name, place.weight];
    if (lightest === undefined || lightest[1] > weight * CLEARLY_LESS) return false;
    return this.#places.delete(lightest[0]);
  }
}
