import type { Exchange } from "../../abi/exchange.js";
import type { LiveNode } from "../host/contract.js";

export interface WeightedNode {
  readonly node: LiveNode;
  /** Above 0: a node of weight 0 is not picked. */
  readonly weight: number;
}

/** Algorithm that picks a node of one priority. */
export interface NodePicker {
  /** @returns null if all nodes are in `tried` */
  choose(x: Exchange, tried: readonly LiveNode[]): WeightedNode | null;
  /** Value of the request from 0 to 1 for slow start. Pickers by key have it, so that equal keys go to equal
   * nodes; for others it is random. */
  share?(x: Exchange): number;
  /** Records the time to the response head, or the value of a failure, in ms. */
  observe?(node: LiveNode, ms: number): void;
}

/** Time in ms in which an old measurement loses two thirds of its weight. */
const DECAY = 10_000;
/** Assumed latency in ms of a node that was not measured lately, so that it gets its share. */
const UNKNOWN_MS = 1;

/** Smooth weighted round robin, as in nginx: weights 5, 1, 1 give a a b a c a a, not a a a a a b c. */
export class RoundRobin implements NodePicker {
  readonly #peers: readonly WeightedNode[];
  readonly #credit: number[];

  constructor(peers: readonly WeightedNode[]) {
    this.#peers = peers;
    this.#credit = peers.map(() => 0);
  }

  choose(_x: Exchange, tried: readonly LiveNode[]): WeightedNode | null {
    const peers = this.#peers;
    const credit = this.#credit;
    let best = -1;
    let sum = 0;
    for (let i = 0; i < peers.length; i++) {
      const peer = peers[i] as WeightedNode;
      if (tried.length !== 0 && tried.includes(peer.node)) continue;
      const gained = (credit[i] as number) + peer.weight;
      credit[i] = gained;
      sum += peer.weight;
      if (best < 0 || gained > (credit[best] as number)) best = i;
    }
    if (best < 0) return null;
    credit[best] = (credit[best] as number) - sum;
    return peers[best] as WeightedNode;
  }
}

/** Picks the lowest (1 + requests in progress) / weight; equal nodes take turns, also in an idle upstream. */
export class LeastConn implements NodePicker {
  readonly #peers: readonly WeightedNode[];
  #turn = 0;

  constructor(peers: readonly WeightedNode[]) {
    this.#peers = peers;
  }

  choose(_x: Exchange, tried: readonly LiveNode[]): WeightedNode | null {
    const peers = this.#peers;
    let best: WeightedNode | null = null;
    let lowest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < peers.length; i++) {
      const peer = peers[(this.#turn + i) % peers.length] as WeightedNode;
      const load = (1 + peer.node.active) / peer.weight;
      if (load < lowest && !tried.includes(peer.node)) [best, lowest] = [peer, load];
    }
    if (best !== null) this.#turn = (this.#turn + 1) % peers.length;
    return best;
  }
}

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
