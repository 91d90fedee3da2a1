import { defineConfig } from "vitest/config";

// "fast" needs no server and no browser; "full" starts nginx, HAProxy, gateways and workers on loopback ports.
export default defineConfig({
  test: {
    root: new URL("..", import.meta.url).pathname,
    passWithNoTests: false,
    projects: [
      {
        test: {
          name: "fast",
          setupFiles: ["test/setup.ts"],
          include: ["test/{unit,golden,diagnostics,conformance,oracle,property,architecture}/**/*.test.ts"],
          exclude: ["test/**/*.live.test.ts"],
          testTimeout: 30_000,
        },
      },
      {
        test: {
          name: "full",
          setupFiles: ["test/setup.ts"],
          include: ["test/{e2e,fuzz}/**/*.test.ts", "test/**/*.live.test.ts"],
          testTimeout: 120_000,
          hookTimeout: 60_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
