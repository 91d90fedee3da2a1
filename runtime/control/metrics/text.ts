import type { Metric } from "prom-client";
import type { MetricFamily, MetricSeries } from "../../abi/metrics.js";

/** One line of a family: `name{labels} value`. */
interface Sample {
  metricName?: string;
  labels: Readonly<Record<string, string | number>>;
  value: number;
}

/** Media type of the text format 0.0.4. */
export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Families in the text format that Prometheus reads, version 0.0.4. */
export async function metricsText(families: readonly MetricFamily[]): Promise<string> {
  // 83 files, which a start need not wait for.
  const { Registry } = await import("prom-client");
  const registry = new Registry();
  for (const family of families) {
    const { name, help, type } = family;
    const values = family.series.flatMap((series) => samplesOf(family, series));
    const metric = { name, get: async () => ({ name, help, type, values }) };
    // The registry asks a metric for nothing else; its own classes count for themselves, which the workers did here.
    registry.registerMetric(metric as unknown as Metric);
  }
  return registry.metrics();
}

function samplesOf({ name, buckets = [] }: MetricFamily, { labels, value, counts }: MetricSeries): Sample[] {
  if (counts === undefined) return [{ labels, value }];
  let below = 0;
  const samples: Sample[] = counts.map((count, i) => {
    below += count;
    return { metricName: `${name}_bucket`, labels: { ...labels, le: buckets[i] ?? "+Inf" }, value: below };
  });
  samples.push({ metricName: `${name}_sum`, labels, value });
  samples.push({ metricName: `${name}_count`, labels, value: below });
  return samples;
}
