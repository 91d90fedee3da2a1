import type { Exchange } from "../../abi/exchange.js";
import type { UpstreamNode, UpstreamTable } from "../../abi/generation.js";
import type { LiveNode, LiveUpstream } from "../host/contract.js";
import { ConsistentHash } from "./balancer-chash.js";
import { Ewma } from "./balancer-ewma.js";
import { LeastConn } from "./balancer-least-conn.js";
import { RoundRobin } from "./balancer-roundrobin.js";
import { hashKeyOf } from "./hash-key.js";
import type { Choice, Peer } from "./peer.js";

/** What a failed attempt counts as in a moving average: a refused connection is quick, but not good. */
const FAILURE_MS = 1_000;

/** Balancer over the nodes of one table. Nodes are grouped by priority; the next group serves when the one above is used up. */
export class Upstream implements LiveUpstream {
  readonly table: UpstreamTable;
  /** Nodes of any weight, in the order of the table. */
  readonly nodes: readonly LiveNode[];
  /** By priority, descending. */
  readonly #groups: readonly Choice[];
  /** The only node that takes requests, when there is just one. */
  readonly #only: LiveNode | null;

  /**
   * @param table hosts already without references to the environment
   * @param previous the balancer that this one replaces: requests under way stay counted on nodes that both have
   */
  constructor(table: UpstreamTable, previous?: Upstream) {
    const known = new Map(previous?.nodes.map((node) => [node.poolKey, node]));
    const peers = table.nodes.map((node) => {
      const poolKey = poolKeyOf(table, node);
      const live = known.get(poolKey) ?? { host: node.host, port: node.port, poolKey, active: 0 };
      return { node: live, weight: node.weight, priority: node.priority };
    });
    const usable = peers.filter(({ weight }) => weight > 0);
    this.table = table;
    this.nodes = peers.map(({ node }) => node);
    this.#only = usable.length === 1 ? (usable[0]?.node ?? null) : null;
    this.#groups = [...new Set(usable.map(({ priority }) => priority))]
      .sort((a, b) => b - a)
      .map((priority) =>
        choiceOf(
          table,
          usable.filter((peer) => peer.priority === priority),
        ),
      );
  }

  /** No node is picked twice for one request, unless it is the only one: then a retry can only go there. */
  pick(x: Exchange, tried: readonly LiveNode[]): LiveNode | null {
    if (this.#only !== null) return this.#only;
    for (const group of this.#groups) {
      const peer = group.choose(x, tried);
      if (peer !== null) return peer.node;
    }
    return null;
  }

  report(node: LiveNode, outcome: { ms: number } | { failure: "connect" | "timeout" | "protocol" }): void {
    if (this.table.type !== "ewma") return;
    for (const group of this.#groups) group.observe?.(node, "ms" in outcome ? outcome.ms : FAILURE_MS);
  }
}

function choiceOf(table: UpstreamTable, peers: readonly Peer[]): Choice {
  if (table.type === "chash") return new ConsistentHash(peers, hashKeyOf(table));
  if (table.type === "least_conn") return new LeastConn(peers);
  return table.type === "ewma" ? new Ewma(peers) : new RoundRobin(peers);
}

/** Connections are shared by tables that agree on everything a connection depends on. */
function poolKeyOf(table: UpstreamTable, { host, port }: UpstreamNode): string {
  const { size, idleTimeout, requests } = table.keepalive;
  const tls = table.scheme === "https" ? ` ${table.upstreamHost ?? host} ${table.tlsVerify}` : "";
  return `${table.scheme}://${host.toLowerCase()}:${port} ${size}/${idleTimeout}/${requests}${tls}`;
}
