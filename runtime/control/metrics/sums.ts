import { countsHighest } from "../../abi/folded-gauges.js";
import type { MetricFamily, MetricSeries } from "../../abi/metrics.js";

/** Families of one process; from an ended one only counters and histograms are used. */
export interface ProcessFamilies {
  families: readonly MetricFamily[];
  ended: boolean;
}

interface Sum {
  family: MetricFamily;
  series: Map<string, MetricSeries>;
}

/**
 * Aggregates the metrics of several processes. Series with the same labels are added: gauges of the gateway
 * are amounts (connections, entries), so their sum is meaningful. Times, ages and the like use the maximum.
 */
export function aggregateMetrics(parts: readonly ProcessFamilies[]): MetricFamily[] {
  const sums = new Map<string, Sum>();
  for (const { families, ended } of parts)
    for (const family of families) {
      if (ended && family.type === "gauge") continue;
      const sum = sums.get(family.name);
      if (sum === undefined) sums.set(family.name, begun(family));
      else if (isSame(sum.family, family))
        for (const series of family.series) add(sum.series, series, isHighest(family));
    }
  return [...sums.values()].map(({ family, series }) => ({ ...family, series: [...series.values()] }));
}

function begun(family: MetricFamily): Sum {
  const series = new Map<string, MetricSeries>();
  for (const one of family.series) add(series, one, isHighest(family));
  return { family, series };
}

/** Compares type and buckets: in a handover, a worker of another version may define a family differently. */
function isSame(a: MetricFamily, b: MetricFamily): boolean {
  return a.type === b.type && (a.buckets ?? []).join() === (b.buckets ?? []).join();
}

const isHighest = ({ type, name }: MetricFamily): boolean => type === "gauge" && countsHighest(name);

function add(
  sums: Map<string, MetricSeries>,
  { labels, value, counts }: MetricSeries,
  highest: boolean,
): void {
  const key = Object.keys(labels)
    .sort()
    .map((name) => `${name}\0${labels[name]}`)
    .join("\0");
  const sum = sums.get(key);
  if (sum === undefined) {
    sums.set(key, { labels, value, ...(counts && { counts: [...counts] }) });
    return;
  }
  sum.value = highest ? Math.max(sum.value, value) : sum.value + value;
  if (counts && sum.counts) sum.counts = sum.counts.map((count, i) => count + (counts[i] ?? 0));
}
