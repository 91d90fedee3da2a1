import { describe, expect, it } from "vitest";
import { FOLDED } from "../../../runtime/abi/folded-metrics.js";
import {
  ActivityRing,
  type ActivityTotals,
  Busiest,
  nothing,
  percentilesOf,
  RING_BYTES,
} from "../../../runtime/control/overview/activity-rings.js";
import { ALL_RINGS_BYTES, LastHour } from "../../../runtime/control/overview/last-hour.js";

const T = 1_800_000_000;
const counted = (requests: number, more: Partial<ActivityTotals> = {}): ActivityTotals => {
  const stretch = { ...nothing(), requests, ...more };
  stretch.latency[0] = requests;
  return stretch;
};

describe("the activity ring", () => {
  it("the activity ring sums the requested seconds and drops those older than an hour", () => {
    const ring = new ActivityRing();
    for (let i = 0; i < 4_000; i += 1) ring.add(T + i, counted(1, { bytesIn: 10, errors5xx: i % 2 }));
    expect(ring.sum(T + 3_990, T + 4_000)).toMatchObject({ requests: 10, bytesIn: 100, errors5xx: 5 });
    expect(ring.sum(T, T + 4_000).requests).toBe(3_600);
    expect(ring.sum(T + 4_000, T + 4_100).requests).toBe(0);
  });

  it("the activity ring has 0 in seconds without requests, also after hours", () => {
    const ring = new ActivityRing();
    ring.add(T, counted(5));
    ring.add(T + 10, counted(7));
    expect(ring.sum(T + 1, T + 10).requests).toBe(0);
    expect(ring.sum(T, T + 11).requests).toBe(12);
    ring.add(T + 90_000, counted(1));
    expect(ring.sum(T, T + 90_001).requests).toBe(1);
  });

  it("the activity ring continues in the newest second if the clock was set back", () => {
    const ring = new ActivityRing();
    ring.add(T, counted(5));
    ring.add(T - 60, counted(2));
    expect(ring.sum(T, T + 1).requests).toBe(7);
  });
});

describe("percentiles", () => {
  it("a percentile is interpolated in its bucket, and null without requests", () => {
    const counts = new Float64Array(16);
    expect(percentilesOf(counts)).toEqual({ p50: null, p95: null, p99: null });
    counts[3] = 100; // 5 to 10 ms
    expect(percentilesOf(counts)).toEqual({ p50: 7.5, p95: 9.75, p99: 9.95 });
    counts[15] = 100;
    expect(percentilesOf(counts).p99).toBe(60_000);
  });
});

describe("the busiest routes", () => {
  it("the busiest routes occupy the rings, and a clearly busier one replaces the least busy", () => {
    const busiest = new Busiest(2);
    const second = (at: number, entries: [string, number][]) =>
      busiest.add(T + at, new Map(entries.map(([name, requests]) => [name, counted(requests)])));
    second(0, [
      ["a", 100],
      ["b", 10],
    ]);
    second(1, [["c", 5]]);
    expect(busiest.rings().map(([name]) => name)).toEqual(["a", "b"]);
    for (let at = 2; at < 6; at += 1) second(at, [["c", 5]]);
    expect(
      busiest
        .rings()
        .map(([name]) => name)
        .sort(),
    ).toEqual(["a", "c"]);
  });

  it("the busiest routes keep their rings against thousands of routes with one request each", () => {
    const busiest = new Busiest(2);
    for (let at = 0; at < 5_000; at += 1)
      busiest.add(
        T + at,
        new Map([
          ["a", counted(3)],
          ["b", counted(3)],
          [`n${at}`, counted(1)],
        ]),
      );
    expect(busiest.rings().map(([name]) => name)).toEqual(["a", "b"]);
  });
});

describe("the last hour", () => {
  it("the last hour lists a route with the id overflow, but not the folded ones", () => {
    const hour = new LastHour(() => null, T);
    const { latency, ...rest } = counted(10);
    const activity = { ...rest, latency: [...latency] };
    const routes = ["overflow", FOLDED, ""].map((route) => ({ route, ...activity }));
    hour.report({ total: activity, unrouted: 0, routes });
    hour.tick(T);
    expect(hour.rows("routes", T + 1, 10).map(({ id }) => id)).toEqual(["overflow"]);
  });

  it("the last hour lists routes and upstreams with the previous period, and needs less than 11 MB", () => {
    const hour = new LastHour((route) => (route === "a" || route === "b" ? "shop" : null), T - 3_600);
    const { latency, ...rest } = counted(10);
    const activity = { ...rest, latency: [...latency] };
    for (let at = 0; at < 20; at += 1) {
      hour.report({
        total: activity,
        unrouted: 2,
        routes: [
          { route: "a", ...activity },
          { route: "b", ...activity },
        ],
      });
      hour.tick(T + at);
    }
    const [a] = hour.rows("routes", T + 20, 10);
    expect(a).toMatchObject({ id: "a", requests: 100, before: { requests: 100 } });
    expect(hour.rows("upstreams", T + 20, 10)).toMatchObject([{ id: "shop", requests: 200 }]);
    expect(hour.stretch(T + 20, { seconds: 15, of: null }).total.series.requests).toEqual(
      Array.from({ length: 15 }, () => 10),
    );
    expect(hour.stretch(T + 20, { seconds: 10, of: null }).unrouted).toEqual({ requests: 20, before: 20 });
    expect(hour.stretch(T + 20, { seconds: 3_600, of: null }).unrouted).toEqual({
      requests: 40,
      before: null,
    });
    expect(hour.last?.unrouted).toBe(2);
    expect(hour.stretch(T + 20, { seconds: 3_600, of: null }).total.before).toBeNull();
    expect(hour.last).toMatchObject({ at: T + 19, requests: 10, routes: [{ id: "a" }, { id: "b" }] });
    expect(hour.last?.upstreams).toMatchObject([{ id: "shop", requests: 20 }]);
    const own = (kind: "routes" | "upstreams", id: string) =>
      hour.stretch(T + 20, { seconds: 15, of: { kind, id } });
    expect(own("upstreams", "shop")).toMatchObject({ kept: true, total: { requests: 300 }, routes: [] });
    expect(own("routes", "never")).toMatchObject({ kept: false, total: { requests: 0 } });
    expect(hour.lastOf({ kind: "routes", id: "b" }).requests).toBe(10);
    expect(hour.stretch(T + 20, { seconds: 15, of: null }).upstreams).toEqual([
      expect.objectContaining({ id: "shop", requests: 300 }),
    ]);
    expect(hour.stretch(T + 20, { seconds: 15, of: null }).upstreams[0]).not.toHaveProperty("series");
    const since = (now: number) => [hour.counted(now, 60), hour.counted(now, 3_600)];
    expect([T - 3_600, T - 3_560, T].flatMap(since)).toEqual([1, 1, 40, 40, 60, 3_600]);
    expect(ALL_RINGS_BYTES).toBe(50 * RING_BYTES);
    expect(ALL_RINGS_BYTES).toBeLessThan(11_000_000);
  });
});
