import type { UpstreamNode } from "../../runtime/abi/generation.js";
import type { NodeValue } from "./values.js";

const DEFAULT_PORT = { http: 80, https: 443 } as const;

/** Why a node's address cannot be used. */
export type AddressFault = "port" | "brackets" | "host";

/** One node as written, before defaults: its place below the upstream and its parts. */
export interface WrittenNode {
  path: readonly (string | number)[];
  /** As the operator wrote it, for messages. */
  written: string;
  node: UpstreamNode;
  fault?: AddressFault;
}

/** Both forms of `nodes` as one list, in the order written, ports filled in from the scheme. */
export function writtenNodes(
  nodes: Record<string, number> | NodeValue[] | undefined,
  scheme: "http" | "https",
): WrittenNode[] {
  if (nodes === undefined) return [];
  if (Array.isArray(nodes)) {
    return nodes.map((node, index) => {
      const port = node.port ?? DEFAULT_PORT[scheme];
      const written = node.port === undefined ? node.host : `${node.host}:${node.port}`;
      return entry(["nodes", index], written, node.host, port, node.weight, node.priority ?? 0);
    });
  }
  return Object.entries(nodes).map(([address, weight]) => {
    const { host, port } = splitAddress(address);
    return entry(["nodes", address], address, host, port ?? DEFAULT_PORT[scheme], weight, 0);
  });
}

function entry(
  path: (string | number)[],
  written: string,
  host: string,
  port: number,
  weight: number,
  priority: number,
): WrittenNode {
  const fault = addressFault(host, port);
  return { path, written, node: { host, port, weight, priority }, ...(fault && { fault }) };
}

/** "host:port", "host", "[v6]:port"; a `${{VAR:=default}}` keeps its colon. */
export function splitAddress(address: string): { host: string; port?: number } {
  const match = /^(.*):([^:\]}]*)$/s.exec(address);
  if (!match || match[1] === undefined) return { host: address };
  const [, host, port] = match;
  // "fe80::1" has colons of its own: without brackets there is no telling where the port starts.
  if (host.includes(":") && !/^\[.*\]$|\}\}/.test(host)) return { host: address };
  return { host, port: /^\d{1,5}$/.test(port ?? "") ? Number(port) : Number.NaN };
}

function addressFault(host: string, port: number): AddressFault | undefined {
  if (!Number.isInteger(port) || port < 1 || port > 65535) return "port";
  if (host.includes("${{")) return undefined;
  if (/^\[[0-9A-Fa-f:.]+(?:%[\w.]+)?\]$/.test(host)) return undefined;
  if (/^[0-9A-Fa-f:.]+$/.test(host) && host.includes(":")) return "brackets";
  // A final dot is a fully qualified name; an underscore occurs in container names.
  return /^(?=.{1,253}$)[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?(?:\.[A-Za-z0-9_](?:[A-Za-z0-9_-]*[A-Za-z0-9_])?)*\.?$/.test(
    host,
  )
    ? undefined
    : "host";
}
