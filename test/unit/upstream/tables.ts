import type { Exchange } from "../../../runtime/abi/exchange.js";
import type { UpstreamNode, UpstreamTable } from "../../../runtime/abi/generation.js";

export type Nodes = Record<string, number | Partial<UpstreamNode>>;

/** Upstream table with nodes by host, each with its weight or other fields. */
export function upstreamOf(nodes: Nodes, rest: Partial<UpstreamTable> = {}): UpstreamTable {
  return {
    key: "u",
    type: "roundrobin",
    scheme: "http",
    nodes: Object.entries(nodes).map(([host, given]) => ({
      host,
      port: 80,
      weight: 1,
      priority: 0,
      ...(typeof given === "number" ? { weight: given } : given),
    })),
    retries: 1,
    retryTimeout: 0,
    timeout: { connect: 1, send: 1, read: 1 },
    passHost: "pass",
    keepalive: { size: 1, idleTimeout: 1, requests: 1 },
    tlsVerify: true,
    ...rest,
  };
}

/** The part of an exchange that load balancers read. */
export function requestWith(values: Record<string, string> = {}): Exchange {
  return {
    method: values["method"] ?? "GET",
    remoteAddr: values["addr"] ?? "192.0.2.1",
    host: values["host"] ?? "",
    uri: values["uri"] ?? "/",
    consumerName: values["consumer"],
    request: { headers: { get: (name: string) => values[`header ${name}`] } },
    arg: (name: string) => values[`arg ${name}`],
    cookie: (name: string) => values[`cookie ${name}`],
    variable: (name: string) => values[name],
  } as unknown as Exchange;
}
