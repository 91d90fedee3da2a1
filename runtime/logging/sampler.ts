import { ambient } from "../abi/ambient.js";
import type { Exchange } from "../abi/exchange.js";

/** Which requests a logger makes a record of. */
export interface SampleSettings {
  /** Share of the requests, from 0 to 1. */
  readonly rate: number;
  /** Those that were answered with 500 or above are always among them. */
  readonly errors: boolean;
  /** Those that took longer are always among them; absent: none is for that. */
  readonly slowerThanMs?: number;
}

/** Text that decides; a byte string. Undefined: chance does. */
export type SampleKey = (x: Exchange) => string | undefined;

const ERROR = 500;
const RANGE = 2 ** 32;
/** `traceparent` (W3C Trace Context): its trace id is the same in all processes that a request passes, the rest is not. */
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/**
 * Chooses the requests of a sample. The choice by a key is the same for all loggers, workers and machines, and what a smaller
 * rate takes, a larger one takes too. By chance, one logger's choice of an exchange stays what it was.
 */
export class Sampler {
  readonly #settings: SampleSettings;
  readonly #keyOf: SampleKey | undefined;
  readonly #random: () => number;
  /** What chance has said, where it may be asked twice. */
  readonly #chosen: WeakMap<Exchange, boolean> | undefined;

  /** @param twice it may be asked twice of an exchange: before its last byte leaves, and when it is over */
  constructor(
    settings: SampleSettings,
    keyOf: SampleKey | undefined,
    twice: boolean,
    random: () => number = () => ambient.random(),
  ) {
    this.#settings = settings;
    this.#keyOf = keyOf;
    this.#chosen = twice ? new WeakMap() : undefined;
    this.#random = random;
  }

  takes(x: Exchange): boolean {
    const { rate, errors, slowerThanMs } = this.#settings;
    if (errors && x.response.status >= ERROR) return true;
    if (slowerThanMs !== undefined && x.latency > slowerThanMs) return true;
    const key = this.#keyOf?.(x);
    if (key !== undefined && key !== "") return fraction(key) < rate;
    const chosen = this.#chosen?.get(x) ?? this.#random() < rate;
    this.#chosen?.set(x, chosen);
    return chosen;
  }
}

/** A number from 0 to 1 that a text decides: FNV-1a of its bytes, mixed by the last step of MurmurHash3, since keys that count up differ in their last bytes. */
function fraction(key: string): number {
  const text = TRACE_PARENT.exec(key)?.[1] ?? key;
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / RANGE;
}
