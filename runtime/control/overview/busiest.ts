import type { ActivityTotals } from "./ring.js";
import { ActivityRing } from "./ring.js";

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
