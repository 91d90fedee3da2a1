import { describe, expect, it } from "vitest";
import type { TrafficDiff } from "../../../compiler/diff/change.js";
import type { DiffSimulator, SampleRequest, Which } from "../../../compiler/diff/simulator.js";
import { diffTraffic } from "../../../compiler/diff/traffic.js";
import { createSimulator } from "../../../runtime/control/in-process/diff-simulator.js";
import { compiledCase } from "../../conformance/runner/compiled.js";

const ROUTES = 300;

/** Plans routes that each have a different condition. */
function planOf(uri: (i: number) => string, value: string) {
  const routes = Array.from({ length: ROUTES }, (_, i) => ({
    id: `r${i}`,
    uri: uri(i),
    vars: [["arg_t", "==", `${value}${i}`]],
    plugins: { "response-rewrite": { body: "own" } },
  }));
  return compiledCase({ name: "crowd", because: {}, reference: [], configuration: { routes } }).plan;
}

/**
 * Counts sample requests of a search for moved requests if none matches a route, and collects the progress.
 * @param asked conditions evaluated per request on each side
 */
async function searched(uri: (i: number) => string, asked: number) {
  let [requests, conditions] = [0, 0];
  const told: string[] = [];
  const trial: DiffSimulator = {
    credentials: [],
    conditionsAsked: () => conditions,
    match(which: Which, _: SampleRequest) {
      if (which === "before") requests += 1;
      conditions += asked;
      return null;
    },
    observe: async () => undefined,
  };
  await diffTraffic(planOf(uri, "a"), planOf(uri, "b"), trial, (done) => told.push(done));
  return { requests, told };
}

/** Compares two configurations whose routes lose requests with `v=b`. */
async function losing(part: (i: number) => object): Promise<TrafficDiff & { conditions: number }> {
  const sideOf = (condition: readonly unknown[]) => {
    const routes = Array.from({ length: ROUTES }, (_, i) => ({
      ...{ id: `r${i}`, uri: "/api", plugins: { "response-rewrite": { body: "own" } } },
      ...part(i),
      vars: [condition, ...((part(i) as { vars?: unknown[] }).vars ?? [])],
    }));
    return compiledCase({ name: "tenants", because: {}, reference: [], configuration: { routes } });
  };
  const [before, after] = [sideOf(["arg_v", "in", ["a", "b"]]), sideOf(["arg_v", "==", "a"])];
  const whole = { credentials: [], deployment: {}, secrets: new Map(), foreign: new Set<string>() };
  const trial = createSimulator({ ...before, ...whole }, { ...after, ...whole }, []);
  const found = await diffTraffic(before.plan, after.plan, trial);
  return { ...found, conditions: trial.conditionsAsked() };
}

const lostBy = ({ changes }: TrafficDiff) =>
  changes.filter(({ example }) => example?.probe.target.includes("v=b") && example.after.route === null);

describe("a search for requests whose route changes", () => {
  it("gwc diff stays within its budget of conditions if all routes have one path", async () => {
    const { requests } = await searched(() => "/api", ROUTES);
    expect(requests).toBeGreaterThanOrEqual(6 * ROUTES);
    expect(requests * ROUTES).toBeLessThanOrEqual(2_000_000 + ROUTES * ROUTES);
  });

  it("gwc diff tries at least 25 sample requests of each route if paths differ", async () => {
    const [few, many] = [await searched((i) => `/api/${i}`, 1), await searched((i) => `/${i}/*`, 1)];
    expect(few.requests).toBeGreaterThan(25 * ROUTES);
    expect(many.requests).toBeGreaterThan(30 * ROUTES);
  });

  it("gwc diff tries four sample requests of each route at any cost", async () => {
    const { requests } = await searched((i) => `/api/${i}`, 1_000_000);
    expect(requests).toBe(4 * ROUTES);
  });

  it("gwc diff finds the lost requests of each route without a note if hosts differ", async () => {
    const found = await losing((i) => ({ host: `t${i}.example.com` }));
    expect(lostBy(found)).toHaveLength(ROUTES);
    expect(found.changes.filter(({ note }) => note !== undefined)).toEqual([]);
  });

  it("gwc diff finds the lost requests of each route if all routes share host and path", async () => {
    const found = await losing((i) => ({ vars: [["arg_t", "==", `t${i}`]] }));
    expect(lostBy(found)).toHaveLength(ROUTES);
    expect(found.conditions).toBeLessThanOrEqual(5_000_000);
  });

  it("gwc diff reports progress after each hundred routes", async () => {
    const { told } = await searched((i) => `/api/${i}`, 1);
    expect(told).toEqual([
      ...["searching requests of 300 routes: 100 done", "searching requests of 300 routes: 200 done"],
      ...["comparing 300 routes: 100 done", "comparing 300 routes: 200 done"],
    ]);
  });
});
