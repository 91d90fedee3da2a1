import { LONG_AREAS } from "./files.js";

/** One step of a suite. A red step ends `npm test`; the cheap ones come first. */
export interface Step {
  name: string;
  /** Seconds on two quiet cores. Over budget is a line in the report, never red. */
  budget: number;
  /** An npm script, or projects of test/vitest.config.ts. */
  run: { script: string } | { projects: readonly string[] };
}

/** `npm test`, 10 minutes on two quiet cores. `npm run build` comes before. */
export const SHORT: readonly Step[] = [
  { name: "lint", budget: 45, run: { script: "lint" } },
  { name: "units", budget: 110, run: { projects: ["fast", "apart"] } },
  { name: "provision", budget: 40, run: { script: "provision" } },
  { name: "gateway", budget: 330, run: { projects: ["gateway", "gateway-apart"] } },
  { name: "tls", budget: 20, run: { projects: ["tls"] } },
  { name: "start", budget: 15, run: { projects: ["start"] } },
  { name: "peers", budget: 120, run: { projects: ["peers"] } },
];

/** Budgets of the areas that take more than two minutes. */
const LARGE_AREAS: Readonly<Record<string, number>> = {
  attack: 240,
  browser: 400,
  dashboard: 900,
  process: 200,
};

/** `npm run test:long`, at most 60 minutes: everything that `npm test` leaves out. All steps run, whatever is red. */
export const LONG_STEPS: readonly Step[] = [
  { name: "provision", budget: 70, run: { script: "provision" } },
  ...LONG_AREAS.map((area) => ({
    name: area,
    budget: LARGE_AREAS[area] ?? 120,
    run: { projects: [`long-${area}`] },
  })),
  { name: "properties", budget: 180, run: { projects: ["properties"] } },
  { name: "firefox", budget: 600, run: { projects: ["firefox"] } },
  { name: "bench", budget: 120, run: { script: "bench:guard" } },
];
