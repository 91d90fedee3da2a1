import type { UpstreamNode } from "../../runtime/abi/generation.js";
import type { Path } from "../model/source.js";
import type { NodeValue } from "./values.js";

const DEFAULT_PORT = { http: 80, https: 443 } as const;

/** Node with its path below the upstream. */
export interface NodeEntry {
  path: Path;
  node: UpstreamNode;
}

/** Returns both forms as one list in the configured order, with ports filled in from the scheme. */
export function upstreamNodes(
  nodes: Record<string, number> | NodeValue[] | undefined,
  scheme: "http" | "https",
): NodeEntry[] {
  if (nodes === undefined) return [];
  if (Array.isArray(nodes))
    return nodes.map(({ host, port = DEFAULT_PORT[scheme], weight, priority = 0 }, index) => ({
      path: ["nodes", index],
      node: { host, port, weight, priority },
    }));
  return Object.entries(nodes).map(([address, weight]) => {
    const { host, port = DEFAULT_PORT[scheme] } = splitAddress(address);
    return { path: ["nodes", address], node: { host, port, weight, priority: 0 } };
  });
}

/** Takes "host:port", "host" or "[v6]:port", checked by the schema; a `${{VAR:=default}}` keeps its colon. */
function splitAddress(address: string): { host: string; port?: number } {
  const match = /^(.+):(\d{1,5})$/s.exec(address);
  return match?.[1] === undefined ? { host: address } : { host: match[1], port: Number(match[2]) };
}
