import { ambient } from "../abi/ambient.js";
import type { Exchange } from "../abi/exchange.js";
import { fnv1a, mixed } from "../abi/hash.js";

/** Selection of the requests that a logger records. */
export interface SampleSettings {
  /** Share of the requests, from 0 to 1. */
  readonly rate: number;
  /** Also selects every response with status 500 or above. */
  readonly errors: boolean;
  /** Also selects requests that took longer; absent: no such rule. */
  readonly slowerThanMs?: number;
}

/** Key of the decision; a byte string. Undefined or empty: random. */
export type SampleKey = (x: Exchange) => string | undefined;

const ERROR = 500;
const RANGE = 2 ** 32;
/** `traceparent` (W3C Trace Context). Only its trace id is the same in all processes that a request passes. */
const TRACE_PARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}/;

/** A decision by key is equal in all loggers and machines; a larger rate includes the requests of a smaller one. */
export class Sampler {
  readonly #settings: SampleSettings;
  readonly #keyOf: SampleKey | undefined;
  readonly #random: () => number;
  /** Random decisions, for loggers that ask twice. */
  readonly #chosen: WeakMap<Exchange, boolean> | undefined;

  /** @param twice the logger asks twice about an exchange: before its last byte leaves, and when it is over */
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

/** Hash of a key, mixed because keys that count up differ only in their last bytes. */
function fraction(key: string): number {
  return mixed(fnv1a(TRACE_PARENT.exec(key)?.[1] ?? key)) / RANGE;
}
