import type { Exchange } from "../../abi/exchange.js";
import type { LiveNode } from "../host/contract.js";
import type { Choice, Peer } from "./peer.js";

/** The lowest (1 + requests under way) / weight; equal ones take turns, so that an idle upstream is not one idle node. */
export class LeastConn implements Choice {
  readonly #peers: readonly Peer[];
  #turn = 0;

  constructor(peers: readonly Peer[]) {
    this.#peers = peers;
  }

  choose(_x: Exchange, tried: readonly LiveNode[]): Peer | null {
    const peers = this.#peers;
    let best: Peer | null = null;
    let lowest = Number.POSITIVE_INFINITY;
    for (let i = 0; i < peers.length; i++) {
      const peer = peers[(this.#turn + i) % peers.length] as Peer;
      const load = (1 + peer.node.active) / peer.weight;
      if (load < lowest && !tried.includes(peer.node)) [best, lowest] = [peer, load];
    }
    if (best !== null) this.#turn = (this.#turn + 1) % peers.length;
    return best;
  }
}
