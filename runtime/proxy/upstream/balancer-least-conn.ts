import type { Exchange } from "../../abi/exchange.js";
import type { LiveNode } from "../host/contract.js";
import type { NodePicker, WeightedNode } from "./node-picker.js";

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
