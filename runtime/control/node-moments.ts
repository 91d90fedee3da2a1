import type { MetricFamily } from "../abi/metrics.js";

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
export function nodeMoments(families: readonly MetricFamily[]): ReadonlyMap<string, NodeMoments> {
  const series = (name: string) => families.find((family) => family.name === name)?.series ?? [];
  const found = new Map<string, NodeMoments>();
  for (const { labels, value } of series("gw_upstream_node_last_failure_timestamp_seconds")) {
    const { upstream = "", node = "", error = "" } = labels;
    const key = momentsKey(upstream, node);
    if ((found.get(key)?.failedAt ?? Number.NEGATIVE_INFINITY) > value) continue;
    found.set(key, { upstream, node, error, failedAt: value, answeredAt: Number.NEGATIVE_INFINITY });
  }
  for (const { labels, value } of series("gw_upstream_node_last_answer_timestamp_seconds")) {
    const known = found.get(momentsKey(labels["upstream"] ?? "", labels["node"] ?? ""));
    if (known) known.answeredAt = value;
  }
  return found;
}

export const momentsKey = (upstream: string, node: string): string => `${upstream} ${node}`;

export const isFailing = ({ failedAt, answeredAt }: NodeMoments): boolean => failedAt > answeredAt;
