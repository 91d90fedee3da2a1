import type { Exchange } from "../../abi/exchange.js";
import type { LiveNode } from "../host/contract.js";
import type { NodePicker, WeightedNode } from "./node-picker.js";

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
