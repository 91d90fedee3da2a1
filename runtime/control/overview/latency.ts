import { LATENCY_BUCKETS } from "../../proxy/host/request-metrics.js";

/** Latencies in ms below which a share of requests stayed; null if there were none. */
export interface Percentiles {
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

/** @param counts requests by latency: one for each of `LATENCY_BUCKETS`, and one above all */
export function percentilesOf(counts: ArrayLike<number>): Percentiles {
  return { p50: percentile(counts, 0.5), p95: percentile(counts, 0.95), p99: percentile(counts, 0.99) };
}

/**
 * Interpolates linearly within a bucket, as Prometheus' `histogram_quantile` does. Above the last bound the
 * latency is unknown, so that bound is returned.
 */
function percentile(counts: ArrayLike<number>, share: number): number | null {
  let all = 0;
  for (let i = 0; i < counts.length; i += 1) all += counts[i] ?? 0;
  if (all === 0) return null;
  const wanted = all * share;
  let below = 0;
  for (let i = 0; i < LATENCY_BUCKETS.length; i += 1) {
    const count = counts[i] ?? 0;
    if (count > 0 && below + count >= wanted) {
      const from = LATENCY_BUCKETS[i - 1] ?? 0;
      const to = LATENCY_BUCKETS[i] ?? from;
      return rounded(from + ((to - from) * (wanted - below)) / count);
    }
    below += count;
  }
  return LATENCY_BUCKETS[LATENCY_BUCKETS.length - 1] ?? null;
}

const rounded = (milliseconds: number) => Math.round(milliseconds * 100) / 100;
