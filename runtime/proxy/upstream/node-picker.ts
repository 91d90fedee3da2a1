import type { Exchange } from "../../abi/exchange.js";
import type { LiveNode } from "../host/contract.js";

/** A node as one balancer sees it. */
export interface WeightedNode {
  readonly node: LiveNode;
  /** Above 0: a node of weight 0 is no peer. */
  readonly weight: number;
}

/** One way of choosing among the peers of one priority. */
export interface NodePicker {
  /** A peer whose node is not in `tried`, or null when none is left. */
  choose(x: Exchange, tried: readonly LiveNode[]): WeightedNode | null;
  /** Which part of the requests this one is of, from 0 to 1, where the same key must have the same; else it is drawn. */
  share?(x: Exchange): number;
  /** Time to the response head, or what a failure counts as, in milliseconds. */
  observe?(node: LiveNode, ms: number): void;
}
