import { existsSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join, relative } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { defineConfig } from "vitest/config";
import { filesOf, LONG_AREAS, ROOT } from "./suite/files.js";

// Each test file belongs to one project: test/suite/files.ts says to which, test/suite/steps.ts which projects `npm test` and
// `npm run test:long` run. Three more run files again: "tls" says over TLS what is said on connections, "properties" tries all cases,
// "firefox" walks the captcha's widget and the web interface in Firefox.
// Packages that a test imports in its own process take `gwc/plugin` from the sources, as the test does.
const resolve = {
  alias: {
    "gwc/plugin": fileURLToPath(new URL("../compiler/plugin-api.ts", import.meta.url)),
    "gwc/logger/runtime": fileURLToPath(new URL("../runtime/logging/index.ts", import.meta.url)),
    "gwc/logger": fileURLToPath(new URL("../compiler/logger-api.ts", import.meta.url)),
  },
};

/** Threads that sources start run from the build: Node itself loads no TypeScript. */
const builtThreads = {
  name: "built-threads",
  transform(code: string, id: string) {
    const folder = dirname(id);
    if (!folder.startsWith(join(ROOT, "runtime/"))) return null;
    return code.replaceAll(/new URL\("\.\/([\w-]+)\.js", import\.meta\.url\)/g, (url, name: string) =>
      existsSync(join(folder, `${name}.ts`))
        ? `new URL(${JSON.stringify(pathToFileURL(join(ROOT, ".build", relative(ROOT, folder), `${name}.js`)))})`
        : url,
    );
  },
};

/** Upper bounds find hangs and judge nothing. A poll ends before its test, so that the report names what was waited for. */
const COMMON = {
  setupFiles: ["test/setup.ts"],
  testTimeout: 300_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 120_000 } },
};

/** Files that wait for other processes leave a third of the processors idle with one file each. A group has one number of workers. */
const WAITING = { maxWorkers: Math.ceil(availableParallelism() * 1.5), sequence: { groupOrder: 1 } };

const project = (name: string, more: object = {}) => ({
  resolve,
  plugins: [builtThreads],
  test: { name, ...COMMON, include: [...filesOf(name)], ...more },
});

/** Properties of `npm test` are tried on a fourth of their cases (test/support/runs.ts). */
const ALL_RUNS = { GWC_RUNS: "full" };

/** Areas whose files measure, starve the machine or leave what the next start of any gateway removes: one file after another. */
const ONE_BY_ONE = new Set(["attack", "captcha-bots", "captcha-solvers", "process", "start", "syslog"]);

const longProject = (area: string) =>
  project(`long-${area}`, {
    env: ALL_RUNS,
    ...(ONE_BY_ONE.has(area) ? { fileParallelism: false } : {}),
    ...(area === "attack" && process.env["GWC_ATTACK"] === "long" ? { testTimeout: 1_800_000 } : {}),
  });

export default defineConfig({
  test: {
    root: ROOT,
    passWithNoTests: false,
    // The default leaves one processor to vitest itself: on two, the units took 265 s in place of 163 then.
    maxWorkers: "100%",
    projects: [
      project("fast", { isolate: false }),
      project("apart"),
      project("gateway", { isolate: false, ...WAITING }),
      project("gateway-apart", WAITING),
      project("tls", { env: { GWC_WIRE: "tls" } }),
      // They listen where `npm start` does.
      project("start", { fileParallelism: false }),
      project("peers", WAITING),
      ...LONG_AREAS.map(longProject),
      project("properties", { isolate: false, env: ALL_RUNS }),
      project("firefox", {
        // Files of one process share a Firefox.
        isolate: false,
        env: { GWC_WIDGET_BROWSER: "firefox" },
      }),
      // The captcha's widget in WebKitGTK, which no other test needs: `npm run test:webkit`, half a minute.
      ...(process.env["GWC_WEBKIT"] === undefined ? [] : [project("webkit")]),
    ],
  },
});
