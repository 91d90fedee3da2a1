import type { UpstreamTable } from "../../abi/generation.js";
import type { Metrics } from "../../abi/metrics.js";
import { Deadlines } from "../../http/deadlines.js";
import { DEFAULT_LIMITS, type Limits } from "../../http/limits.js";
import { TimeSlice } from "../../http/time-slice.js";
import type { GatewayExchange } from "../exchange/exchange.js";
import type { UpstreamFailure } from "../upstream/connection.js";
import { DnsCache } from "../upstream/dns-cache.js";
import type { NodeChange, NodeFailure } from "../upstream/node-health.js";
import { ConnectionPool } from "../upstream/pool.js";
import { type Admission, UNTRUSTED_ADMISSION } from "./admission.js";
import type { EndedAttempt, LiveNode, LiveUpstream } from "./contract.js";
import { FilterThread } from "./filter-thread.js";
import { RequestMetrics } from "./request-metrics.js";

/** Called when a node was ejected, has returned, or its ejection was suppressed. */
export type NodeChanged = (upstream: string, node: LiveNode, change: NodeChange) => void;

/** Reports an event to operators: name, request and reason. */
export type Report = (event: string, x: GatewayExchange, reason: unknown) => void;

export interface WorkerContextOptions {
  limits?: Partial<Limits>;
  /** Timeouts of connections, closed with the server. Default: new ones on the monotonic clock. */
  deadlines?: Deadlines;
  /** Trust and admission rules, read for each request. Default: no trusted proxies. */
  admission?: () => Admission;
  report?: Report;
  nodeChanged?: NodeChanged;
  /** Resolves names of nodes. Default: the system's resolver. */
  names?: DnsCache;
  metrics?: Metrics;
  /** Labels that request metrics omit (`drop_labels`). */
  droppedLabels?: readonly string[];
  /** Filters bodies that are too long for the event loop; closed with the server. Default: a new thread. */
  filterThread?: FilterThread;
}

export class WorkerContext {
  readonly limits: Limits;
  readonly deadlines: Deadlines;
  readonly report: Report;
  readonly #nodeChanged: NodeChanged;
  readonly #admission: () => Admission;
  readonly counters = {
    requests: 0,
    inFlight: 0,
    /** Bodies above their filter's limit that passed unfiltered (`on_oversize: pass`). */
    oversizePassed: 0,
    upstreamFailures: 0,
    moduleFailures: 0,
  };
  /** Bytes that are buffered for filters and logs. */
  bufferedBytes = 0;
  readonly turn = new TimeSlice();
  readonly filterThread: FilterThread;
  readonly metrics: RequestMetrics | undefined;
  readonly #names: DnsCache;
  readonly #pools = new Map<string, ConnectionPool>();

  constructor(options: WorkerContextOptions) {
    const { metrics } = options;
    this.#names = options.names ?? new DnsCache();
    this.metrics = metrics && new RequestMetrics(metrics, options.droppedLabels);
    this.metrics?.watchBuffered(() => this.bufferedBytes);
    this.filterThread = options.filterThread ?? new FilterThread();
    this.limits = { ...DEFAULT_LIMITS, ...options.limits };
    this.deadlines = options.deadlines ?? new Deadlines();
    this.report = options.report ?? (() => {});
    this.#nodeChanged = options.nodeChanged ?? (() => {});
    this.#admission = options.admission ?? (() => UNTRUSTED_ADMISSION);
  }

  get admission(): Admission {
    return this.#admission();
  }

  upstreamFailed(key: string, failure: UpstreamFailure): void {
    this.counters.upstreamFailures++;
    this.metrics?.upstreamFailed(key, failure);
  }

  attemptAnswered(upstream: LiveUpstream, attempt: EndedAttempt): void {
    const change = upstream.answered(attempt);
    if (change !== undefined) this.#changed(upstream.table.key, attempt.node, change);
    // The response had a status that counts as a failure.
    else if (attempt.node.health.isFailing) this.metrics?.nodes.failed(upstream.table.key, attempt.node);
  }

  /** @param reason kind of failure; undefined if the node may not be the cause */
  attemptFailed(
    upstream: LiveUpstream,
    attempt: EndedAttempt,
    failure: UpstreamFailure,
    reason: NodeFailure | undefined,
  ): void {
    const { key } = upstream.table;
    this.upstreamFailed(key, failure);
    const change = upstream.failed(attempt, reason);
    if (change !== undefined) this.#changed(key, attempt.node, change);
    else if (reason !== undefined) this.metrics?.nodes.failed(key, attempt.node);
  }

  #changed(upstream: string, node: LiveNode, change: NodeChange): void {
    this.metrics?.nodes.changed(upstream, node, change);
    this.#nodeChanged(upstream, node, change);
  }

  moduleFailed(x: GatewayExchange, error: unknown): void {
    this.counters.moduleFailures++;
    this.report("module_failed", x, error);
  }

  /** Connection pool of a node, shared by all upstreams with the same scheme and verification. */
  pool(node: LiveNode, table: UpstreamTable): ConnectionPool {
    const known = this.#pools.get(node.poolKey);
    if (known !== undefined) return known;
    const tls =
      table.scheme === "https"
        ? { servername: table.upstreamHost ?? node.host, verify: table.tlsVerify }
        : undefined;
    const host = node.host.startsWith("[") ? node.host.slice(1, -1) : node.host;
    const pool = new ConnectionPool(
      { host, port: node.port, tls },
      table.keepalive,
      this.limits,
      this.deadlines,
      this.#names,
    );
    this.#pools.set(node.poolKey, pool);
    this.metrics?.pools.made(`${node.host}:${node.port}`, pool);
    return pool;
  }

  /** Closes idle connections of nodes that no generation uses. */
  keepOnly(poolKeys: ReadonlySet<string>): void {
    this.metrics?.nodes.keepOnly(poolKeys);
    for (const [key, pool] of this.#pools) {
      if (poolKeys.has(key)) continue;
      pool.close();
      if (pool.connected) continue;
      this.#pools.delete(key);
      this.metrics?.pools.gone(pool);
    }
  }

  close(): void {
    void this.filterThread.close();
    for (const pool of this.#pools.values()) pool.close();
    this.#pools.clear();
  }
}
