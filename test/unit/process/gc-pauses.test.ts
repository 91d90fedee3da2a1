import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, it } from "vitest";
import { MetricsRegistry } from "../../../runtime/abi/metrics-registry.js";
import { GcPauses } from "../../../runtime/process/process-metrics.js";

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

const observed = (registry: MetricsRegistry, kind: string) => {
  const { series = [] } = registry.snapshot().find(({ name }) => name === "gw_gc_pause_seconds") ?? {};
  const { counts = [], value = 0 } = series.find(({ labels }) => labels["kind"] === kind) ?? {};
  return { count: counts.reduce((sum, one) => sum + one, 0), seconds: value };
};

it("the metrics count a garbage collection of the whole heap and its time, until they are closed", async () => {
  const registry = new MetricsRegistry();
  const pauses = new GcPauses(registry);
  collect();
  await expect.poll(() => observed(registry, "major").count).toBeGreaterThan(0);
  const { seconds } = observed(registry, "major");
  expect(seconds).toBeGreaterThan(0);
  expect(seconds).toBeLessThan(60);
  pauses.close();
  const { count } = observed(registry, "major");
  const later = new MetricsRegistry();
  const open = new GcPauses(later);
  collect();
  await expect.poll(() => observed(later, "major").count).toBeGreaterThan(0);
  open.close();
  expect(observed(registry, "major").count).toBe(count);
});
