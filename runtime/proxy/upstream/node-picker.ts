import type { Exchange } from "../../abi/exchange.js";
import type { LiveNode } from "../host/contract.js";

/** Node as a load balancer sees it. */
export interface WeightedNode {
  readonly node: LiveNode;
  /** Above 0: a node of weight 0 is not picked. */
  readonly weight: number;
}

/** Algorithm that picks a node of one priority. */
export interface NodePicker {
  /**
   * Picks a node that is not in `tried`.
   * @returns null if none is left
   */
  choose(x: Exchange, tried: readonly LiveNode[]): WeightedNode | null;
  /** Returns a value from 0 to 1 for slow start, if equal keys must have equal values; otherwise it is random. */
  share?(x: Exchange): number;
  /** Records the time to the response head, or the value of a failure, in ms. */
  observe?(node: LiveNode, ms: number): void;
}
