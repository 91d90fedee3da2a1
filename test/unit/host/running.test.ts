import { afterEach, describe, expect, it } from "vitest";
import type { GlobalRuleRow, RouterRow } from "../../../runtime/abi/generation.js";
import type { PipelineModule } from "../../../runtime/abi/route-module.js";
import type { GatewayExchange } from "../../../runtime/proxy/exchange/exchange.js";
import type { MatchSubject } from "../../../runtime/proxy/host/contract.js";
import {
  CodeKind,
  executionMarker,
  quarantineRoute,
  readStallSource,
  routeNumber,
} from "../../../runtime/proxy/host/execution-marker.js";
import { LiveTables } from "../../../runtime/proxy/host/live-tables.js";
import { closingPhases, headerFilters, requestPhases } from "../../../runtime/proxy/host/phases.js";
import { applyFilters } from "../../../runtime/proxy/host/send-response.js";

const blamed = () => readStallSource(executionMarker.buffer as SharedArrayBuffer);
const NOBODY = { routeNumber: -1, part: CodeKind.none };

const row = (id: string, order: number): RouterRow => ({
  id,
  hosts: [],
  uris: ["/*"],
  methods: [],
  remoteAddrs: [],
  priority: 0,
  order,
  hasMatch: true,
  enableWebsocket: false,
  moduleId: `route:${id}`,
  upstream: null,
});

/** Module that records the stall source in each of its phases. */
function watched(seen: Record<string, unknown>, name: string): PipelineModule {
  const note = (phase: string) => () => {
    seen[`${name}.${phase}`] = blamed();
  };
  return {
    id: name,
    rewrite: note("rewrite"),
    access: note("access"),
    headerFilter: note("headerFilter"),
    log: note("log"),
  };
}

describe("the stall source", () => {
  it("the stall source is the route or global rule whose phase runs, and none between phases", () => {
    const seen: Record<string, unknown> = {};
    const rules = ["first", "second"].map((id) => ({
      row: { id } as GlobalRuleRow,
      module: watched(seen, id),
    }));
    const route = { row: row("r", 0), number: 7, module: watched(seen, "route"), upstream: null };
    const response = { dropFalseCoding: () => {} };
    const whole = { generation: { globalRules: rules }, route, answered: false, response };
    const x = whole as unknown as GatewayExchange;
    for (const run of [
      () => requestPhases(x),
      () => headerFilters(x),
      () => closingPhases(x, "log", { moduleFailed: () => {} }),
    ]) {
      run();
      expect(blamed()).toEqual(NOBODY);
    }
    const phases = ["rewrite", "access", "headerFilter", "log"];
    const expected = phases.flatMap((phase) => [
      [`first.${phase}`, { routeNumber: 7, part: CodeKind.rule }],
      [`second.${phase}`, { routeNumber: 7, part: CodeKind.rule + 1 }],
      [`route.${phase}`, { routeNumber: 7, part: CodeKind.phase }],
    ]);
    expect(seen).toEqual(Object.fromEntries(expected));
  });

  it("the stall source is the route whose body filter runs, and none after the filter throws", () => {
    let seen: unknown;
    const apply = () => {
      seen = blamed();
      throw new Error("too large");
    };
    const filters = [{ maxBytes: 10, oversize: "refuse", apply }];
    const x = { response: { filters }, route: { row: row("r", 0), number: 3 } } as unknown as GatewayExchange;
    expect(applyFilters(x, "body")).toBeUndefined();
    expect(seen).toEqual({ routeNumber: 3, part: CodeKind.filter });
    expect(blamed()).toEqual(NOBODY);
  });
});

describe("the match condition of a route", () => {
  const subject = { method: "GET", host: "a", path: "/x", remoteAddr: "1.2.3.4" } as MatchSubject;
  afterEach(() => quarantineRoute("conditional", 0));

  function tables(match: () => boolean): LiveTables {
    const live = new LiveTables();
    live.putModule("route:conditional", { id: "conditional", match, rewrite: () => {} });
    live.putModule("route:next", { id: "next", match: () => true });
    live.putRoute(row("conditional", 1));
    live.putRoute(row("next", 2));
    return live;
  }

  it("the match condition of a route is the stall source while it runs", () => {
    let seen: unknown;
    const live = tables(() => {
      seen = blamed();
      return false;
    });
    expect(live.router.match(subject)?.row.id).toBe("next");
    expect(seen).toEqual({ routeNumber: routeNumber("conditional"), part: CodeKind.condition });
    expect(blamed()).toEqual(NOBODY);
  });

  it("a quarantined route matches without a call of its condition, module or upstream", () => {
    const live = tables(() => {
      throw new Error("was asked");
    });
    quarantineRoute("conditional", 60_000);
    const route = live.router.match(subject)?.route;
    expect(route).toMatchObject({ row: { id: "conditional" }, module: null, upstream: null });
    quarantineRoute("conditional", 0);
    expect(() => live.router.match(subject)).toThrow("was asked");
  });
});
