import { FOLDED } from "../abi/folded-metrics.js";
import type { MetricFamily } from "../abi/metrics.js";
import { FamilySums } from "./metrics/family-sums.js";

/** Times of a node's last failure, with its reason, and of its last response after one. Epoch seconds. */
export interface NodeMoments {
  upstream: string;
  node: string;
  /** Reason: "ECONNREFUSED", "timeout", "closed", "status_503". */
  error: string;
  failedAt: number;
  /** Negative infinity if never. */
  answeredAt: number;
}

/** Returns the nodes that failed since the start, by `momentsKey`, with the latest times of all workers. */
export function nodeMoments(sums: FamilySums): ReadonlyMap<string, NodeMoments> {
  const found = new Map<string, NodeMoments>();
  for (const { labels, value } of sums.series("gw_upstream_node_last_failure_timestamp_seconds")) {
    const { upstream = "", node = "", error = "" } = labels;
    const key = momentsKey(upstream, node);
    if ((found.get(key)?.failedAt ?? Number.NEGATIVE_INFINITY) > value) continue;
    found.set(key, { upstream, node, error, failedAt: value, answeredAt: Number.NEGATIVE_INFINITY });
  }
  for (const { labels, value } of sums.series("gw_upstream_node_last_answer_timestamp_seconds")) {
    const known = found.get(momentsKey(labels["upstream"] ?? "", labels["node"] ?? ""));
    if (known) known.answeredAt = value;
  }
  return found;
}

export const momentsKey = (upstream: string, node: string): string => `${upstream} ${node}`;

export const isFailing = ({ failedAt, answeredAt }: NodeMoments): boolean => failedAt > answeredAt;

/** Sums of the metrics of nodes, and the times of their last failures. */
export class NodeMetrics extends FamilySums {
  readonly moments: ReturnType<typeof nodeMoments>;
  /** Keys of upstreams that had requests; null if unknown: series were folded or labels were dropped. */
  readonly used: readonly string[] | null;

  constructor(families: readonly MetricFamily[]) {
    super(families);
    this.moments = nodeMoments(this);
    const latencies = this.series("gw_http_latency");
    const used = new Set(latencies.map(({ labels }) => labels["upstream"] ?? ""));
    used.delete("");
    // `drop_labels` removes labels.
    const isTold = latencies.every(({ labels }) => "upstream" in labels && "node" in labels);
    this.used = !isTold || used.has(FOLDED) ? null : [...used].sort();
  }

  /** State and failures of a node, over all workers. @param all number of workers */
  node(upstream: string, node: string, all: number) {
    const failures = (reason: string) =>
      this.of("gw_upstream_node_failures_total", { upstream, node, reason }).value;
    const moments = this.moments.get(momentsKey(upstream, node));
    return {
      connect: failures("tcp_failures"),
      timeout: failures("timeouts"),
      status: failures("http_failures"),
      ejections: this.of("gw_upstream_node_ejections_total", { upstream, node }).value,
      workers: this.#workers(upstream, node, all),
      moments,
      isFailing: moments !== undefined && isFailing(moments),
    };
  }

  /** Numbers of workers by the state of a node that they see. */
  #workers(upstream: string, node: string, all: number) {
    const seen = (state: string) => this.of("gw_upstream_node_state", { upstream, node, state }).value;
    const [ejected, half_open, slow_start] = [seen("ejected"), seen("half_open"), seen("slow_start")];
    const failing = seen("failing");
    // A worker that has not seen the node fail reports no state for it.
    const healthy = Math.max(0, all - failing - ejected - half_open - slow_start);
    return { healthy, failing, ejected, half_open, slow_start };
  }
}
