import type { LiveNode } from "../host/contract.js";
import { NodeHealth } from "./node-health.js";

export function liveNode(
  { host, port }: { host: string; port: number },
  poolKey: string,
  health = new NodeHealth(),
): LiveNode {
  return { host, port, poolKey, active: 0, health };
}
