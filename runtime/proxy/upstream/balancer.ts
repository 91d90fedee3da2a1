import { ambient } from "../../abi/ambient.js";
import type { Exchange } from "../../abi/exchange.js";
import type { UpstreamNode, UpstreamTable } from "../../abi/generation.js";
import type { EndedAttempt, LiveNode, LiveUpstream } from "../host/contract.js";
import { ConsistentHash } from "./balancer-chash.js";
import { hashKeyOf } from "./hash-key.js";
import { type NodeChange, type NodeFailure, NodeHealth } from "./node-health.js";
import { Ewma, LeastConn, type NodePicker, RoundRobin, type WeightedNode } from "./node-picker.js";
import { PoolHealth } from "./pool-health.js";
import { RetryBudget } from "./retry-budget.js";

/** Latency in ms by which a failed attempt counts in a moving average: a refused connection is fast, but not good. */
const FAILURE_MS = 1_000;

/** Load balancer over the nodes of one table; the next priority serves when the one above is used up. */
export class Upstream implements LiveUpstream {
  readonly table: UpstreamTable;
  /** All nodes, also of weight 0, in the order of the table. */
  readonly nodes: readonly LiveNode[];
  /** Groups by priority, descending. */
  readonly #groups: readonly NodePicker[];
  /** The node if only one has a weight above 0. */
  readonly #only: LiveNode | null;
  readonly #health: PoolHealth;
  readonly #budget: RetryBudget;
  /** True if some statuses count as failures. */
  readonly #readsStatus: boolean;
  readonly #measures: boolean;
  readonly #now: () => number;
  readonly #random: () => number;

  /**
   * @param table hosts without references to the environment
   * @param previous predecessor: common nodes keep their state and their requests in progress
   */
  constructor(
    table: UpstreamTable,
    previous?: Upstream,
    now: () => number = () => ambient.monotonic(),
    random = () => ambient.random(),
  ) {
    const known = new Map(previous?.nodes.map((node) => [node.poolKey, node]));
    const healths = new Map(previous?.nodes.map((node) => [addressOf(node), node.health]));
    const peers = table.nodes.map((node) => {
      const poolKey = poolKeyOf(table, node);
      const live = known.get(poolKey) ?? liveNode(node, poolKey, healths.get(addressOf(node)));
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
          now,
          random,
        ),
      );
    const impaired = previous === undefined ? undefined : previous.#health.impaired;
    this.#health = new PoolHealth(usable, table.passive, impaired);
    const spent = previous === undefined ? undefined : previous.#budget;
    this.#budget = new RetryBudget(now(), table.retryBudget, spent);
    this.#readsStatus = (table.passive?.httpFailures ?? 0) > 0;
    this.#measures = table.type === "ewma";
    this.#now = now;
    this.#random = random;
  }

  /** Picks no node twice for one request, unless it is the only one: then a retry can only go there. */
  pick(x: Exchange, tried: readonly LiveNode[]): LiveNode | null {
    if (tried.length === 0) this.#budget.requests++;
    if (this.#only !== null) return this.#only;
    if (this.#health.whole) return this.#choose(x, tried);
    const share = this.#groups[0]?.share?.(x);
    const subject = {
      x,
      tried,
      now: this.#now(),
      share: share ?? this.#random(),
      keyed: share !== undefined,
    };
    return this.#health.choose(subject, (avoided) => this.#choose(x, avoided));
  }

  mayRetry(): boolean {
    return this.#budget.take(this.#now());
  }

  #choose(x: Exchange, avoided: readonly LiveNode[]): LiveNode | null {
    for (const group of this.#groups) {
      const peer = group.choose(x, avoided);
      if (peer !== null) return peer.node;
    }
    return null;
  }

  answered(attempt: EndedAttempt): NodeChange | undefined {
    const { node, startedAt, ms } = attempt;
    if (this.#measures) this.#observe(node, ms);
    if (this.#health.whole && !this.#readsStatus) {
      node.health.answeredAt = startedAt + ms;
      return undefined;
    }
    return this.#health.answered(attempt);
  }

  failed(attempt: EndedAttempt, reason: NodeFailure | undefined): NodeChange | undefined {
    if (this.#measures) this.#observe(attempt.node, FAILURE_MS);
    if (reason !== undefined) return this.#health.failed(attempt, reason);
    this.abandoned(attempt);
    return undefined;
  }

  abandoned({ node, startedAt }: EndedAttempt): void {
    node.health.abandoned(startedAt);
  }

  #observe(node: LiveNode, ms: number): void {
    for (const group of this.#groups) group.observe?.(node, ms);
  }
}

function choiceOf(
  table: UpstreamTable,
  peers: readonly WeightedNode[],
  now: () => number,
  random: () => number,
): NodePicker {
  if (table.type === "chash") return new ConsistentHash(peers, hashKeyOf(table));
  if (table.type === "least_conn") return new LeastConn(peers);
  return table.type === "ewma" ? new Ewma(peers, random, now) : new RoundRobin(peers);
}

const addressOf = ({ host, port }: { host: string; port: number }) => `${host.toLowerCase()}:${port}`;

/** Key of a connection pool; tables that agree on everything a connection depends on share it. */
function poolKeyOf(table: UpstreamTable, { host, port }: UpstreamNode): string {
  const { size, idleTimeout, requests } = table.keepalive;
  const tls = table.scheme === "https" ? ` ${table.upstreamHost ?? host} ${table.tlsVerify}` : "";
  return `${table.scheme}://${host.toLowerCase()}:${port} ${size}/${idleTimeout}/${requests}${tls}`;
}

export function liveNode(
  { host, port }: { host: string; port: number },
  poolKey: string,
  health = new NodeHealth(),
): LiveNode {
  return { host, port, poolKey, active: 0, health };
}
