import { expect, it } from "vitest";
import type { MetricFamily } from "../../../runtime/abi/metrics.js";
import { WorkerMetrics } from "../../../runtime/control/metrics/worker-metrics.js";

const requests = (value: number): MetricFamily[] => [
  { name: "gw_requests", help: "Requests.", type: "counter", series: [{ labels: {}, value }] },
];
const total = (families: readonly MetricFamily[]) => families[0]?.series[0]?.value;

/** Far more than a reply needs, so that no verdict depends on it. */
const DEADLINE_MS = 60_000;

it("a collection includes what was counted while another collection was in progress", async () => {
  const metrics = new WorkerMetrics();
  const asked: number[] = [];
  metrics.joined(0, 100, (number) => asked.push(number));
  const before = metrics.collect(DEADLINE_MS);
  const after = [metrics.collect(DEADLINE_MS), metrics.collect(DEADLINE_MS)];
  metrics.reported(0, requests(1), asked[0]);
  expect(total(await before)).toBe(1);
  await expect.poll(() => asked.length).toBe(2);
  metrics.reported(0, requests(2), asked[1]);
  expect((await Promise.all(after)).map(total)).toEqual([2, 2]);
  expect(asked).toHaveLength(2);
});
