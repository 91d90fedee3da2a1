import { FOLDED, FoldedSeries } from "../../abi/folded-metrics.js";
import type { Counter, Metrics } from "../../abi/metrics.js";
import type { ConnectionPool } from "../upstream/pool.js";

const NAME = "gw_upstream_connections";
const HELP = "Connections to a node, idle or busy; connecting ones count as busy.";
const OPENED = "Connections opened to nodes.";
const STATES = ["idle", "busy"] as const;
/** Maximum nodes with own series; the others share one. */
const NODES = 500;

type Levels = ConnectionPool["levels"];
type Counted = Pick<ConnectionPool, "levels" | "opened">;

/** Gauges read when metrics are collected: requests pay nothing. Nodes without a connection have no series. */
export class PoolMetrics {
  readonly #metrics: Metrics;
  readonly #opened: Counter;
  /** Address of the node, by pool. */
  readonly #pools = new Map<Counted, string>();
  readonly #folded: FoldedSeries;
  readonly #shown = new Set<string>();

  constructor(metrics: Metrics) {
    this.#metrics = metrics;
    this.#folded = new FoldedSeries(metrics, NAME);
    this.#opened = metrics.counter("gw_upstream_connections_opened_total", OPENED, {});
    metrics.onCollect(() => this.#refresh());
  }

  made(node: string, pool: Counted): void {
    this.#pools.set(pool, node);
  }

  gone(pool: Counted): void {
    this.#tell(pool);
    this.#pools.delete(pool);
  }

  #refresh(): void {
    const nodes = new Map<string, Levels>();
    for (const [pool, node] of this.#pools) {
      this.#tell(pool);
      const { idle, busy } = pool.levels;
      if (idle + busy > 0) this.#add(nodes, node, { idle, busy });
    }
    for (const [node, levels] of nodes)
      for (const state of STATES) this.#metrics.gauge(NAME, HELP, { node, state }).set(levels[state]);
    for (const node of this.#shown) {
      if (nodes.has(node)) continue;
      this.#shown.delete(node);
      for (const state of STATES) this.#metrics.forget(NAME, { node, state });
    }
  }

  #add(nodes: Map<string, Levels>, node: string, { idle, busy }: Levels): void {
    const isApart = this.#shown.has(node) || this.#shown.size < NODES;
    if (!isApart) this.#folded.count(node, STATES.length);
    const own = isApart ? node : FOLDED;
    this.#shown.add(own);
    const levels = nodes.get(own) ?? { idle: 0, busy: 0 };
    nodes.set(own, { idle: levels.idle + idle, busy: levels.busy + busy });
  }

  #tell(pool: Counted): void {
    this.#opened.add(pool.opened);
    pool.opened = 0;
  }
}
