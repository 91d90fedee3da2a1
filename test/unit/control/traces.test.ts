import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Trace } from "../../../runtime/abi/trace.js";
import { Traces } from "../../../runtime/control/traces.js";

const MATCH = { uri: "/a" };
const wanted = (count = 1, forSeconds = 60) => ({ count, forSeconds, match: MATCH, shown: MATCH });

const traced = (generation: number, value = "1"): Trace => ({
  ...{ at: "2026-01-01T00:00:00.000Z", worker: 0, generation, client: "192.0.2.7" },
  route: {
    id: "a",
    name: value,
    service: null,
    hosts: [value],
    uris: [`/${value}`],
    methods: [],
    priority: 0,
  },
  request: { method: "GET", target: "/a?b=c", host: "a", protocol: "HTTP/1.1", headers: [["X-A", value]] },
  phases: [
    {
      ...{ phase: "rewrite", owner: "routes/a", at_us: 1, us: 2 },
      steps: [
        {
          ...{ plugin: "proxy-rewrite", address: "routes/a plugins.proxy-rewrite", place: "", us: 2 },
          condition: value,
          changes: [{ of: "request", what: "header", name: "X-B", before: null, after: value }],
        },
      ],
    },
  ],
  attempts: [
    {
      ...{ upstream: "route:a", node: `${value}:80`, status: 200, reused: false },
      ...{ error: null, connect_ms: 1, head_ms: 1, ms: 2, body_bytes: 0 },
    },
  ],
  ...{ upstream_request: null, upstream_response: null },
  response: { status: 200, own: true, headers: [["X-C", value]] },
  ...{ request_bytes: 1, response_bytes: 1, response_body_bytes: 0, ms: 1, cut: false },
});

let generation: number;
let traces: Traces;
/** Number of armed traces in each message to workers. */
let told: number[];
beforeEach(() => {
  vi.useFakeTimers();
  generation = 7;
  told = [];
  traces = new Traces({
    send: () => told.push(traces.orders.length),
    told: async (trace) => trace,
    settled: async () => {},
    generation: () => generation,
  });
});
afterEach(() => {
  traces.close();
  vi.useRealTimers();
});

const armed = (...given: Parameters<typeof wanted>) => traces.arm(wanted(...given))?.id ?? "";
const settled = () => vi.advanceTimersByTimeAsync(0);

describe("traces in control", () => {
  it("a trace ends with its last wanted request, which workers learn at once, and accepts no more", async () => {
    const id = armed(2);
    for (const value of ["1", "2", "3"]) traces.heard([id], traced(7, value));
    expect(told).toEqual([1, 0]);
    expect(traces.of(id)?.state).toBe("armed");
    await settled();
    expect(traces.of(id)).toMatchObject({ state: "done", caught: 2 });
    expect(traces.of(id)?.traces.map(({ request }) => request.headers)).toEqual([
      [["X-A", "1"]],
      [["X-A", "2"]],
    ]);
  });

  it("a trace ends after its time, accepts requests that began before, and disappears after ten minutes", async () => {
    const id = armed(2, 5);
    await vi.advanceTimersByTimeAsync(5_000);
    expect([traces.of(id)?.state, told]).toEqual(["ended", [1, 0]]);
    traces.heard([id], traced(7));
    await settled();
    expect(traces.of(id)).toMatchObject({ state: "ended", caught: 1 });
    await vi.advanceTimersByTimeAsync(600_000);
    expect([traces.of(id), traces.list()]).toEqual([undefined, []]);
  });

  it("a disarmed trace accepts nothing", async () => {
    const id = armed(2);
    traces.heard([id], traced(7));
    expect(traces.disarm(id)).toMatchObject({ state: "ended" });
    traces.heard([id], traced(7));
    await settled();
    expect(traces.of(id)).toMatchObject({ state: "ended", caught: 0 });
    expect(traces.disarm("none")).toBeUndefined();
  });

  it("a trace masks the values of requests of another generation, whose secrets are unknown", async () => {
    const [before, meanwhile] = [armed(), armed()];
    traces.heard([before], traced(6, "secret-of-before"));
    await settled();
    traces.heard([meanwhile], traced(7, "secret-of-now"));
    generation = 8;
    await settled();
    for (const id of [before, meanwhile]) {
      const text = JSON.stringify(traces.of(id)?.traces);
      expect(text).toContain('["X-A","***"]');
      expect(text).not.toMatch(/secret|b=c/);
    }
  });

  it("at most four traces run at once, and they keep the newest 16 MB of all requests", async () => {
    const ids = [armed(100), armed(100), armed(100), armed(100)];
    expect(traces.arm(wanted())).toBeUndefined();
    const long = "x".repeat(20_000);
    for (let n = 0; n < 100; n += 1) for (const id of ids) traces.heard([id], traced(7, long));
    await settled();
    const kept = ids.map((id) => traces.of(id)?.traces.length ?? 0);
    expect(kept[3]).toBe(100);
    expect(kept[0]).toBeLessThan(100);
    expect(JSON.stringify(ids.map((id) => traces.of(id))).length).toBeLessThan(17_000_000);
    expect(traces.of(ids[0] ?? "")?.state).toBe("done");
  });
});
