import { describe, expect, it } from "vitest";
import { attentionTo, type Recent } from "../../../runtime/control/overview/attention.js";
import { measured, type Now } from "../../../runtime/control/overview/now.js";
import { GrownLately } from "../../../runtime/control/overview/overview.js";

const CALM = {
  ...{ generation: 1, workers: [], workers_expected: 2, ready: true, reasons: [], warnings: [] },
  ...{ read_only: null, services: {}, last_reload: null, quarantined_routes: [], nodes_out: [] },
  ...{ nodes_failing: [], certificates: [], findings: null },
  store: { bytes: 0, history: { entries: 0, bytes: 0 } },
  spool: { bytes: 0, oldest_seconds: 0, max_bytes: 100 },
  logs: { pending_entries: 0, pending_bytes: 0, dropped_entries: 0, dropped_lately: 0 },
} satisfies Now;
const RECENT: Recent = {
  ...{ requests: 0, errors_4xx: 0, errors_5xx: 0, bytes_in: 0, bytes_out: 0 },
  ...{ p50: null, p95: null, p99: null, seconds: 300, worst: undefined },
};
const failing = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ upstream: `u${i}`, node: "n:1", error: "timeout", at: "" }));

describe("the attention list", () => {
  it("the attention list begins with lost records, then failed services, failing nodes, full spools, expiries", () => {
    const now: Now = {
      ...CALM,
      certificates: [{ ssl: "old", expires: "", days: 3 }],
      spool: { bytes: 90, oldest_seconds: 9, max_bytes: 100 },
      nodes_out: [{ upstream: "shop", node: "n:1", workers: 2 }],
      services: { captcha: { up: false, reason: "it ended" } },
      logs: { ...CALM.logs, dropped_lately: 5 },
    };
    expect(attentionTo(now, RECENT).map(({ kind }) => kind)).toEqual([
      ...["log_entries_dropped", "service_down", "node_out", "spool_filling", "certificate_expires"],
    ]);
  });

  it("the attention list shows ten items of a kind with their total, so that no kind hides another", () => {
    const now: Now = {
      ...CALM,
      nodes_failing: failing(300),
      certificates: [{ ssl: "soon", expires: "", days: 20 }],
    };
    const told = attentionTo(now, RECENT);
    expect(told.filter(({ kind, of }) => kind === "node_failing" && of === 300)).toHaveLength(10);
    expect(told.at(-1)).toMatchObject({ kind: "certificate_expires", of: 1 });
  });

  it("the attention list ignores a missing process during the first seconds", () => {
    const now: Now = {
      ...CALM,
      services: { captcha: { up: false, reason: "it is starting" } },
      warnings: [{ code: "workers_missing", message: "1 of 2 workers is missing" }],
    };
    expect(attentionTo(now, { ...RECENT, seconds: 3 })).toEqual([]);
    expect(attentionTo(now, RECENT).map(({ kind }) => kind)).toEqual(["service_down", "impaired"]);
  });

  it("the attention list names the route with most responses of 500 and more", () => {
    const recent = { ...RECENT, requests: 100, errors_5xx: 10, worst: { route: "shop", errors: 9 } };
    expect(attentionTo(CALM, recent)).toMatchObject([
      { kind: "server_errors", subject: "routes/shop", values: { route: "shop", of_route: 9, errors: 10 } },
    ]);
  });

  it("the attention list links to the certificate whose file cannot be used", () => {
    const now: Now = { ...CALM, warnings: [{ code: "certificate_file", message: "no key", ssl: "shop" }] };
    expect(attentionTo(now, RECENT)).toMatchObject([{ kind: "impaired", subject: "ssls/shop" }]);
  });

  it("a failing node is listed until 15 minutes after its last failure", () => {
    const labels = { upstream: "shop", node: "n:1", error: "timeout" };
    const name = "gw_upstream_node_last_failure_timestamp_seconds";
    const families = [{ name, help: "", type: "gauge" as const, series: [{ labels, value: 10_000 }] }];
    expect(measured(families, null, 10_899).nodes_failing).toHaveLength(1);
    expect(measured(families, null, 10_901).nodes_failing).toEqual([]);
  });
});

describe("recent growth of a count", () => {
  it("the recent growth of a count is 0 at the first look, whatever the count was", () => {
    const grown = new GrownLately(100);
    grown.look(70, 0);
    expect(grown.at(1)).toBe(0);
    grown.look(75, 10);
    expect([grown.at(50), grown.at(111)]).toEqual([5, 0]);
  });
});
