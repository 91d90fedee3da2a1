import type { Exchange } from "../../abi/exchange.js";
import { PASSIVE_CHECKS, type PassiveChecks } from "../../abi/passive-checks.js";
import type { EndedAttempt, LiveNode } from "../host/contract.js";
import type { NodeChange, NodeFailure, NodeHealth } from "./node-health.js";

/** Methods that may be retried on another node, so these requests are preferred as probes. */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** Time in ms after which a node accepts any request as its probe: there may be no safe one. */
const PATIENCE_MS = 10_000;

export type Among = (avoided: readonly LiveNode[]) => LiveNode | null;

export interface Choosing {
  x: Exchange;
  tried: readonly LiveNode[];
  now: number;
  /** Value of the request from 0 to 1, for nodes in slow start. */
  share: number;
  keyed: boolean;
}

interface PooledNode {
  readonly node: LiveNode;
  readonly priority: number;
}

/** Selects the nodes of one table that accept requests, by their health. */
export class PoolHealth {
  readonly #nodes: readonly PooledNode[];
  readonly #checks: PassiveChecks;
  /** Maximum nodes that may be ejected at the same time. */
  readonly #mayBeOut: number;
  /** Nodes below their full share. Shared with the previous and next tables: tables that share nodes must agree. */
  readonly impaired: Set<NodeHealth>;

  /** @param nodes without those of weight 0 */
  constructor(
    nodes: readonly PooledNode[],
    checks: PassiveChecks = PASSIVE_CHECKS,
    impaired = new Set<NodeHealth>(),
  ) {
    this.#nodes = nodes;
    this.#checks = checks;
    this.impaired = impaired;
    const share = Math.floor((nodes.length * checks.maxEjectedPercent) / 100);
    this.#mayBeOut =
      checks.maxEjectedPercent === 0 ? 0 : Math.min(Math.max(1, share), Math.max(0, nodes.length - 1));
  }

  /** True if all nodes take their full share, so that nothing needs to be checked. */
  get whole(): boolean {
    return this.impaired.size === 0;
  }

  /**
   * Picks a node that is not ejected, or the probe of a half-open one; if all are ejected, any. A retry never
   * goes to an ejected node: it would wait there like the attempt before.
   */
  choose(choosing: Choosing, among: Among): LiveNode | null {
    const { tried, now } = choosing;
    this.#forgetRecovered(now);
    if (tried.length > 0) {
      const out = this.#nodes.filter(({ node }) => isOut(node.health, now));
      return among([...tried, ...out.map(({ node }) => node)]);
    }
    const patience = SAFE.has(choosing.x.method) ? 0 : PATIENCE_MS;
    const avoiding = (share: number) => {
      const closed = this.#nodes.filter(({ node }) => !node.health.admits(now, share, patience));
      return among(closed.map(({ node }) => node));
    };
    const natural = avoiding(choosing.share) ?? avoiding(0) ?? among([]);
    const node = choosing.keyed ? natural : (this.#trialInsteadOf(natural, now, patience) ?? natural);
    node?.health.chosen(now);
    return node;
  }

  /** Prefers a node that needs a probe: its load and latency after a failure would keep requests away for long. */
  #trialInsteadOf(natural: LiveNode | null, now: number, patience: number): LiveNode | undefined {
    const priority = this.#nodes.find(({ node }) => node === natural)?.priority;
    return this.#nodes.find(
      (one) =>
        one.priority === priority && isOut(one.node.health, now) && one.node.health.admits(now, 0, patience),
    )?.node;
  }

  answered(attempt: EndedAttempt): NodeChange | undefined {
    const { httpFailures, httpStatuses } = this.#checks;
    const { node, startedAt, ms, status } = attempt;
    if (httpFailures > 0 && httpStatuses.includes(status ?? 0)) return this.failed(attempt, "httpFailures");
    return node.health.answered({ startedAt, endedAt: startedAt + ms }, this.#checks);
  }

  failed({ node, startedAt, ms, status, error }: EndedAttempt, reason: NodeFailure): NodeChange | undefined {
    const endedAt = startedAt + ms;
    node.health.lastFailure = { error: error ?? `status_${status}`, at: endedAt };
    const mayEject = () =>
      this.#nodes.filter((one) => isOut(one.node.health, endedAt)).length < this.#mayBeOut;
    const change = node.health.failed(reason, { startedAt, endedAt }, this.#checks, mayEject);
    if (change?.kind === "ejected") this.impaired.add(node.health);
    return change;
  }

  /** Removes recovered nodes, and nodes that are no longer in the table after their ejection. */
  #forgetRecovered(now: number): void {
    for (const health of this.impaired) {
      const state = health.stateAt(now);
      const gone = state === "half_open" && !this.#nodes.some(({ node }) => node.health === health);
      if (gone || state === "healthy") this.impaired.delete(health);
    }
  }
}

function isOut(health: NodeHealth, now: number): boolean {
  const state = health.stateAt(now);
  return state === "ejected" || state === "half_open";
}
