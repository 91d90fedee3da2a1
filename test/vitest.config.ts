import { defineConfig } from "vitest/config";

// "fast" needs no server and no browser; "full" starts nginx, HAProxy, gateways and workers on loopback ports; "attack" plays a
// hostile client, upstream or disk against live gateways, in a short form unless GWC_ATTACK=long.
// Packages that a test imports in its own process take `gwc/plugin` from the sources, as the test does.
const resolve = { alias: { "gwc/plugin": new URL("../compiler/plugin/api.ts", import.meta.url).pathname } };

/** A third of the time of all tests without a server: they run beside the others of "full", so that "fast" stays below 3 minutes. */
const HEAVY = [
  "test/property/{accepted-loads,total}.test.ts",
  "test/unit/captcha/tasks/pictures.test.ts",
  "test/unit/docs/threat-model.test.ts",
  "test/unit/regex/cost.test.ts",
  "test/unit/spool/account.test.ts",
];

export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    passWithNoTests: false,
    // The default leaves one processor to vitest itself: on two, the fast suite took 265 s in place of 163.
    maxWorkers: "100%",
    projects: [
      {
        resolve,
        test: {
          name: "fast",
          setupFiles: ["test/setup.ts"],
          include: ["test/{unit,golden,diagnostics,conformance,oracle,property,architecture}/**/*.test.ts"],
          exclude: ["test/**/*.live.test.ts", ...HEAVY],
          testTimeout: 30_000,
        },
      },
      {
        resolve,
        test: {
          name: "full",
          setupFiles: ["test/setup.ts"],
          include: ["test/{e2e,fuzz}/**/*.test.ts", "test/**/*.live.test.ts", ...HEAVY],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
      {
        resolve,
        test: {
          name: "attack",
          setupFiles: ["test/setup.ts"],
          include: ["test/attack/**/*.test.ts"],
          testTimeout: process.env["GWC_ATTACK"] === "long" ? 1_800_000 : 180_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
