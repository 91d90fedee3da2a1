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
  /** Returns a value from 0 to 1 for slow start, if equal keys must have equal values; otherwise it is random. */
  share?(x: Exchange): number;
  /** Records the time to the response head, or the value of a failure, in ms. */
  observe?(node: LiveNode, ms: number): void;
}
