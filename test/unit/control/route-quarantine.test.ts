import { beforeEach, describe, expect, it } from "vitest";
import type { RouterRow } from "../../../runtime/abi/generation.js";
import { namesIn, RouteQuarantine } from "../../../runtime/control/route-quarantine.js";
import type { GenerationContent } from "../../../runtime/process/generation-log.js";
import { routeNumber } from "../../../runtime/proxy/host/execution-marker.js";

let now: number;
/** Messages to workers: route and milliseconds. */
let told: [string, number][];
let holds: RouteQuarantine;
beforeEach(() => {
  now = 5_000;
  told = [];
  holds = new RouteQuarantine(
    (route, ms) => told.push([route, ms]),
    () => now,
  );
});

/** Stalls a worker whose generation is unknown, so that the version of the route's code counts. */
function stall(route: string, version: string): void {
  holds.stalled(route, 100, () => version);
}

/** Stalls again at the end of each quarantine. @returns seconds of the quarantines */
function inARow(times: number): number[] {
  for (let i = 0; i < times; i += 1) {
    stall("r", "v");
    now += told.at(-1)?.[1] ?? 0;
  }
  return told.map(([, ms]) => ms / 1000);
}

describe("a route that stalls repeatedly", () => {
  it("a route that stalls is quarantined for 10 s, doubled each time up to 5 minutes", () => {
    expect(inARow(8)).toEqual([10, 20, 40, 80, 160, 300, 300, 300]);
  });

  it("a route is quarantined for 10 s again once it has run for 10 minutes after its last quarantine", () => {
    expect(inARow(3)).toEqual([10, 20, 40]);
    now += 599_999;
    expect(inARow(1).at(-1)).toBe(80);
    now += 600_000;
    expect(inARow(2).slice(-2)).toEqual([10, 20]);
  });

  it("a second stall within a quarantine does not extend it", () => {
    stall("r", "v");
    now += 9_999;
    stall("r", "v");
    expect(told).toEqual([["r", 10_000]]);
    expect(holds.current).toEqual([{ route: "r", stalls: 1, remaining_ms: 1 }]);
    now += 1;
    expect(holds.current).toEqual([]);
    stall("r", "v");
    expect(told.at(-1)).toEqual(["r", 20_000]);
  });

  it("a quarantine does not affect the duration for another route", () => {
    inARow(3);
    stall("other", "v");
    expect(told.at(-1)).toEqual(["other", 10_000]);
    expect(holds.current).toEqual([{ route: "other", stalls: 1, remaining_ms: 10_000 }]);
  });
});

describe("a changed route", () => {
  it("a changed route is served at once, and its next quarantine takes 10 s", () => {
    expect(inARow(2)).toEqual([10, 20]);
    stall("r", "v");
    holds.review(() => "v");
    expect(holds.current).toHaveLength(1);
    holds.review(() => "v2");
    expect(told.at(-1)).toEqual(["r", 0]);
    expect(holds.current).toEqual([]);
    stall("r", "v2");
    expect(told.at(-1)).toEqual(["r", 10_000]);
  });

  it("a removed route whose quarantine is over causes no message to workers", () => {
    inARow(1);
    holds.review(() => undefined);
    expect(told).toEqual([["r", 10_000]]);
  });
});

it("a route is found by the number that a worker reports, also a route of the store", () => {
  const row = (id: string, order: number) => ({ id, order }) as RouterRow;
  const routes = new Map(["shop", "1"].map((id, i) => [id, row(id, i === 0 ? 0 : 2 ** 31)]));
  const names = namesIn({ routes } as unknown as GenerationContent);
  expect(["shop", "1", "gone"].map((id) => names.routeAt(routeNumber(id)))).toEqual(["shop", "1", undefined]);
});

it.each([
  ["its row", { routes: new Map([["shop", { id: "shop", moduleId: "route:shop", priority: 1 }]]) }],
  ["its module", { modules: new Map([["route:shop", { hash: "other" }]]) }],
  ["a global rule, whose code runs for it too,", { globalRules: [] }],
])("a route counts as changed when %s is changed", (_, change) => {
  const content = {
    routes: new Map([["shop", { id: "shop", moduleId: "route:shop" }]]),
    modules: new Map([
      ["route:shop", { hash: "one" }],
      ["global_rule:all", { hash: "two" }],
    ]),
    globalRules: [{ id: "all", moduleId: "global_rule:all" }],
  };
  const version = (part: object) =>
    namesIn({ ...content, ...part } as GenerationContent).routeVersion("shop");
  expect(version({})).toBe(version({}));
  expect(version(change)).not.toBe(version({}));
});
