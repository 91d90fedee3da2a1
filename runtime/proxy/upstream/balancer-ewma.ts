import type { Exchange } from "../../abi/exchange.js";
import type { LiveNode } from "../host/contract.js";
import type { NodePicker, WeightedNode } from "./node-picker.js";

/** Time in ms in which an old measurement loses two thirds of its weight. */
const DECAY = 10_000;
/** Assumed latency in ms of a node that was not measured lately, so that it gets its share. */
const UNKNOWN_MS = 1;

interface Latency {
  ms: number;
  at: number;
}

/**
 * Picks the better of two random nodes by latency (moving average) times requests in progress, by weight. A
 * search over all nodes would send all workers to the same one at once.
 */
export class Ewma implements NodePicker {
  readonly #peers: readonly WeightedNode[];
  readonly #latencies = new Map<LiveNode, Latency>();
  readonly #random: () => number;
  readonly #now: () => number;

  constructor(peers: readonly WeightedNode[], random = Math.random, now = () => performance.now()) {
    this.#peers = peers;
    this.#random = random;
    this.#now = now;
  }

  choose(_x: Exchange, tried: readonly LiveNode[]): WeightedNode | null {
    const left = tried.length === 0 ? this.#peers : this.#peers.filter(({ node }) => !tried.includes(node));
    const first = Math.floor(this.#random() * left.length);
    const one = left[first];
    if (one === undefined) return null;
    if (left.length === 1) return one;
    const second = Math.floor(this.#random() * (left.length - 1));
    const other = left[second < first ? second : second + 1] ?? one;
    return this.#cost(other) < this.#cost(one) ? other : one;
  }

  observe(node: LiveNode, ms: number): void {
    const at = this.#now();
    const known = this.#latencies.get(node);
    const old = known === undefined ? 0 : Math.exp((known.at - at) / DECAY);
    this.#latencies.set(node, { ms: (known?.ms ?? 0) * old + ms * (1 - old), at });
  }

  #cost({ node, weight }: WeightedNode): number {
    const known = this.#latencies.get(node);
    const ms = known === undefined ? 0 : known.ms * Math.exp((known.at - this.#now()) / DECAY);
    return (Math.max(ms, UNKNOWN_MS) * (1 + node.active)) / weight;
  }
}
