import type { Exchange } from "../../abi/exchange.js";
import { PASSIVE_CHECKS, type PassiveChecks } from "../../abi/passive-checks.js";
import type { EndedAttempt, LiveNode } from "../host/contract.js";
import type { NodeChange, NodeFailure, NodeHealth } from "./node-health.js";

/** A trial that fails may be sent to another node only with these methods, so they are waited for. */
const SAFE: ReadonlySet<string> = new Set(["GET", "HEAD", "OPTIONS"]);
/** Milliseconds after which a node takes any request as its trial: there may be no safe one. */
const PATIENCE_MS = 10_000;

/** Chooses among the nodes that are not in `avoided`. */
export type Among = (avoided: readonly LiveNode[]) => LiveNode | null;

/** What a node is chosen for. */
export interface Choosing {
  x: Exchange;
  tried: readonly LiveNode[];
  now: number;
  /** Of the request, from 0 to 1, for nodes in slow start. */
  share: number;
  /** Its node depends on a key. */
  keyed: boolean;
}

interface PooledNode {
  readonly node: LiveNode;
  readonly priority: number;
}

/** Which nodes of one table take requests, by what became of those before. */
export class PoolHealth {
  readonly #nodes: readonly PooledNode[];
  readonly #checks: PassiveChecks;
  /** Nodes that may be out at once. */
  readonly #mayBeOut: number;
  /** Those that do not take their full share, shared with the tables before and after: tables that share nodes must agree. */
  readonly impaired: Set<NodeHealth>;

  /** @param nodes those of weight 0 are left out */
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

  /** All nodes take their full share: there is nothing to look at. */
  get whole(): boolean {
    return this.impaired.size === 0;
  }

  /**
   * A first attempt goes to a node that is in, or is the trial of one that is half open; where all are out it goes to any. A
   * further attempt never goes to a node that is out: it would wait there as the one before did.
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

  /** Load and latency of a node that failed would keep its trial away from it for long. */
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
    const mayEject = () => this.#outAt(endedAt) < this.#mayBeOut;
    const change = node.health.failed(reason, { startedAt, endedAt }, this.#checks, mayEject);
    if (change?.kind === "ejected") this.impaired.add(node.health);
    return change;
  }

  #outAt(now: number): number {
    return this.#nodes.reduce((count, { node }) => count + (isOut(node.health, now) ? 1 : 0), 0);
  }

  /** Nodes that the table no longer has are forgotten once their time is over. */
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
