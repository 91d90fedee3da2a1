import type { Counter, Gauge, Labels, Metrics } from "../../abi/metrics.js";
import { FAILURE_NAMES } from "../../abi/passive-checks.js";
import type { NodeChange, NodeFailure, NodeHealth, NodeState } from "../upstream/node-health.js";
import type { LiveNode } from "./contract.js";

/** State of a node; `failing`: in use although the last attempt failed, as a last node is never ejected. */
type SeenState = NodeState | "failing";

const STATES: readonly SeenState[] = ["healthy", "failing", "ejected", "half_open", "slow_start"];
const REASONS = Object.keys(FAILURE_NAMES) as NodeFailure[];

const STATE = "Workers that see the node in this state, only for nodes that have failed.";
const FAILURES = "Attempts that counted as failures of the node.";
const EJECTIONS = "Ejections of the node.";
const SPARED = "Suppressed ejections of the node, because too many other nodes were ejected.";

const FAILED = "gw_upstream_node_last_failure_timestamp_seconds";
const FAILED_HELP = "Time of the last failed attempt at the node, by error.";
const ANSWERED = "gw_upstream_node_last_answer_timestamp_seconds";
const ANSWERED_HELP = "Time of the last response of a node that has failed.";

interface Watched {
  /** Scheme, host and port. */
  address: string;
  labels: Labels;
  states: Map<SeenState, Gauge>;
  /** Reason of its last failure, as in the label of its series. */
  error?: string;
}

/** Series of nodes; created for nodes that fail, so that thousands of healthy ones have none. */
export class NodeMetrics {
  readonly #metrics: Metrics;
  readonly #now: () => number;
  readonly #watched = new Map<NodeHealth, Watched>();

  constructor(metrics: Metrics, now: () => number = () => performance.now()) {
    this.#metrics = metrics;
    this.#now = now;
    metrics.onCollect(() => this.#refresh());
  }

  failed(upstream: string, node: LiveNode): void {
    if (this.#watched.has(node.health)) return;
    const labels = { upstream, node: `${node.host}:${node.port}` };
    const gauge = (state: SeenState): [SeenState, Gauge] => [
      state,
      this.#metrics.gauge("gw_upstream_node_state", STATE, { ...labels, state }),
    ];
    this.#watched.set(node.health, {
      address: addressOf(node.poolKey),
      labels,
      states: new Map(STATES.map(gauge)),
    });
  }

  changed(upstream: string, node: LiveNode, change: NodeChange): void {
    this.failed(upstream, node);
    if (change.kind === "returned") return;
    const [name, help] =
      change.kind === "ejected"
        ? ["gw_upstream_node_ejections_total", EJECTIONS]
        : ["gw_upstream_node_ejections_denied_total", SPARED];
    this.#counter(name, help, node.health, change.reason)?.add(1);
  }

  /** Removes the series of nodes that no generation uses. */
  keepOnly(poolKeys: ReadonlySet<string>): void {
    const addresses = new Set(Array.from(poolKeys, addressOf));
    for (const [health, { address, labels, error }] of this.#watched) {
      if (addresses.has(address)) continue;
      this.#watched.delete(health);
      for (const state of STATES) this.#metrics.forget("gw_upstream_node_state", { ...labels, state });
      if (error !== undefined) this.#metrics.forget(FAILED, { ...labels, error });
      this.#metrics.forget(ANSWERED, labels);
    }
  }

  #counter(name: string, help: string, health: NodeHealth, reason: NodeFailure): Counter | undefined {
    const labels = this.#watched.get(health)?.labels;
    return labels && this.#metrics.counter(name, help, { ...labels, reason: FAILURE_NAMES[reason] });
  }

  #refresh(): void {
    const now = this.#now();
    for (const [health, watched] of this.#watched) {
      const { states } = watched;
      const state = health.stateAt(now);
      const seen = state === "healthy" && health.isFailing ? "failing" : state;
      for (const [one, gauge] of states) gauge.set(one === seen ? 1 : 0);
      this.#tellFailures(health);
      this.#tellMoments(health, watched, now);
    }
  }

  #tellMoments({ lastFailure, answeredAt }: NodeHealth, watched: Watched, now: number): void {
    // One reading: a clock that moves between two would date a response before the failure that it follows.
    const wall = Date.now();
    const epoch = (at: number) => (wall - (now - at)) / 1_000;
    const { labels, error: before } = watched;
    if (Number.isFinite(answeredAt))
      this.#metrics.gauge(ANSWERED, ANSWERED_HELP, labels).set(epoch(answeredAt));
    if (lastFailure === undefined) return;
    const { error, at } = lastFailure;
    if (before !== undefined && before !== error) this.#metrics.forget(FAILED, { ...labels, error: before });
    watched.error = error;
    this.#metrics.gauge(FAILED, FAILED_HELP, { ...labels, error }).set(epoch(at));
  }

  #tellFailures(health: NodeHealth): void {
    for (const reason of REASONS) {
      const more = health.uncollected[reason];
      if (more === 0) continue;
      health.uncollected[reason] = 0;
      this.#counter("gw_upstream_node_failures_total", FAILURES, health, reason)?.add(more);
    }
  }
}

const addressOf = (poolKey: string) => poolKey.slice(0, poolKey.indexOf(" "));
