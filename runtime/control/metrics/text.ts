import type { Metric } from "prom-client";
import type { MetricFamily, MetricSeries } from "../../abi/metrics.js";

interface Sample {
  metricName?: string;
  labels: Readonly<Record<string, string | number>>;
  value: number;
}

export const CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Encodes families in the Prometheus text format, version 0.0.4. */
export async function metricsText(families: readonly MetricFamily[]): Promise<string> {
  // Loaded on demand: 83 files that would delay a start.
  const { Registry } = await import("prom-client");
  const registry = new Registry();
  for (const family of families) {
    const { name, help, type } = family;
    const values = family.series.flatMap((series) => samplesOf(family, series));
    const metric = { name, get: async () => ({ name, help, type, values }) };
    // The registry uses only these fields; its own metric classes would count, which workers have done already.
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
