import type { LiveNode } from "../host/contract.js";
import { NodeHealth } from "./node-health.js";

/**
 * Creates a node without requests.
 * @param health known state of the node
 */
export function liveNode(
  { host, port }: { host: string; port: number },
  poolKey: string,
  health = new NodeHealth(),
): LiveNode {
  return { host, port, poolKey, active: 0, health };
}
