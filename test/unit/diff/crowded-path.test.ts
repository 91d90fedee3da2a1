import { describe, expect, it } from "vitest";
import type { Probe, Trial, Which } from "../../../compiler/diff/probe.js";
import { diffTraffic } from "../../../compiler/diff/traffic.js";
import { compiledCase } from "../../conformance/runner/compiled.js";

const ROUTES = 300;

/** The plan of routes of which each has a condition of its own. */
function planOf(uri: (i: number) => string, value: string) {
  const routes = Array.from({ length: ROUTES }, (_, i) => ({
    id: `r${i}`,
    uri: uri(i),
    vars: [["arg_t", "==", `${value}${i}`]],
    plugins: { "response-rewrite": { body: "own" } },
  }));
  return compiledCase({ name: "crowd", because: {}, reference: [], configuration: { routes } }).plan;
}

/** Requests that are matched to find those whose route is another one, where no route takes any; and the progress that is told. */
async function searched(uri: (i: number) => string): Promise<{ requests: number; told: string[] }> {
  let requests = 0;
  const told: string[] = [];
  const trial: Trial = {
    credentials: [],
    match(which: Which, _: Probe) {
      if (which === "before") requests += 1;
      return null;
    },
    observe: async () => undefined,
  };
  await diffTraffic(planOf(uri, "a"), planOf(uri, "b"), trial, (done) => told.push(done));
  return { requests, told };
}

describe("a search for requests whose route is another one", () => {
  it("asks as many conditions as its budget has where all routes have one path", async () => {
    const { requests } = await searched(() => "/api");
    expect(requests).toBeGreaterThanOrEqual(6 * ROUTES);
    expect(requests * ROUTES).toBeLessThanOrEqual(10_000_000 + ROUTES * ROUTES);
  });

  it("tries all requests of routes that have paths of their own", async () => {
    const [few, many] = [await searched((i) => `/api/${i}`), await searched((i) => `/${i}/*`)];
    expect(few.requests).toBeGreaterThan(30 * ROUTES);
    expect(many.requests).toBeGreaterThan(30 * ROUTES);
  });

  it("tells after each hundred routes how far it is", async () => {
    const { told } = await searched((i) => `/api/${i}`);
    expect(told).toEqual([
      ...["searching requests of 300 routes: 100 done", "searching requests of 300 routes: 200 done"],
      ...["comparing 300 routes: 100 done", "comparing 300 routes: 200 done"],
    ]);
  });
});
