import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

const ROOT = new URL("..", import.meta.url).pathname;

// "fast" needs no server and no browser; "full" starts nginx, HAProxy, gateways and workers on loopback ports, "alone" those that bear no
// other beside them; "browser" drives Chromium; "firefox" walks the captcha's widget once more in Firefox, "webkit" (`npm run test:webkit`)
// its main ways in WebKitGTK; "secure" says what is said on connections once more over TLS; "attack" plays a
// hostile client, upstream or disk against live gateways, and programs that want tokens, in a short form unless GWC_ATTACK=long.
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

/**
 * They measure, starve the machine, listen where `npm start` does, or leave what the next start of any gateway removes: one after
 * another, with nothing beside them. All other files of
 * "full" wait more than they compute: one at a time they took 27 minutes, two at a time 15.
 */
const ALONE = [
  "test/e2e/process/leftovers.test.ts",
  "test/e2e/process/starvation.test.ts",
  "test/e2e/start/**/*.test.ts",
  "test/e2e/syslog/throughput.test.ts",
];

/** The longest properties take 20 s alone, and 43 s where two processors have other work. */
const LONGEST_MS = 120_000;

const FAST = ["unit", "golden", "diagnostics", "conformance", "oracle", "property", "architecture"];

/**
 * The tests of "fast" that change their process: they replace a module, a clock or a stream, set the environment, or load a plugin
 * package, of which a process keeps the names. Each gets a process of its own. All others share one on each processor, since loading the
 * compiler for each of 200 files took half the time of the suite (241 s, then 119 s).
 */
function ownProcess(): string[] {
  const files = FAST.flatMap((folder) =>
    readdirSync(join(ROOT, "test", folder), { recursive: true, encoding: "utf8" }).map((name) =>
      join("test", folder, name),
    ),
  );
  const changes = /\bvi\.|\bprocess\.env\[.*\] = |support\/plugin-package|loadPackages|register[A-Z]\w*\(/;
  return files.filter(
    (file) => file.endsWith(".test.ts") && changes.test(readFileSync(join(ROOT, file), "utf8")),
  );
}

const OWN_PROCESS = ownProcess();

/** What every project has. A poll gives up after a second by itself, which others that have the processors take from it. */
const COMMON = { setupFiles: ["test/setup.ts"], expect: { poll: { timeout: 15_000 } } };

/** What a client may send and what becomes of it, once more over TLS: framing, refusals, limits and pipelines are the codec's. */
const SECURE = ["bodies", "documented-refusals", "forwarding", "keep-alive", "limits", "matrix", "tunnel"];

/** What a browser does: it waits more than it computes, so that two files at a time take less than one after another. */
const IN_BROWSER = { ...COMMON, testTimeout: 120_000, hookTimeout: 120_000, sequence: { groupOrder: 1 } };
const PAGES = ["test/e2e/dashboard/**/*.test.ts", "test/e2e/captcha/browser/**/*.test.ts"];

/** The captcha's widget in WebKitGTK, which no other test needs: `npm run test:webkit`, half a minute. */
const WEBKIT = "test/e2e/captcha/webkit/**/*.test.ts";
const IN_WEBKIT = { resolve, test: { name: "webkit", ...IN_BROWSER, include: [WEBKIT] } };

/** And in Firefox, when the others have let the processors go; `npm run test:firefox` runs it alone. */
const IN_FIREFOX = {
  resolve,
  test: {
    name: "firefox",
    ...IN_BROWSER,
    sequence: { groupOrder: 3 },
    // Files of one process share a Firefox.
    isolate: false,
    env: { GWC_WIDGET_BROWSER: "firefox" },
    include: ["test/e2e/captcha/browser/**/*.test.ts"],
    // One asks each browser by itself; those of a browser that nobody drives need one that does not say so.
    exclude: ["test/e2e/captcha/browser/{program,person,patience}.test.ts"],
  },
};

export default defineConfig({
  test: {
    root: ROOT,
    passWithNoTests: false,
    // The default leaves one processor to vitest itself: on two, the fast suite took 265 s in place of 163 then.
    maxWorkers: "100%",
    projects: [
      {
        resolve,
        test: {
          name: "fast",
          isolate: false,
          ...COMMON,
          include: [`test/{${FAST.join(",")}}/**/*.test.ts`],
          exclude: ["test/**/*.live.test.ts", ...HEAVY, ...OWN_PROCESS],
          testTimeout: LONGEST_MS,
        },
      },
      {
        resolve,
        test: {
          name: "apart",
          ...COMMON,
          include: OWN_PROCESS,
          exclude: ["test/**/*.live.test.ts", ...HEAVY],
          testTimeout: LONGEST_MS,
        },
      },
      {
        resolve,
        test: {
          name: "full",
          ...COMMON,
          include: ["test/{e2e,fuzz}/**/*.test.ts", "test/**/*.live.test.ts", ...HEAVY],
          exclude: [...PAGES, ...ALONE, WEBKIT],
          testTimeout: 120_000,
          hookTimeout: 120_000,
          sequence: { groupOrder: 2 },
        },
      },
      {
        resolve,
        test: {
          name: "alone",
          ...COMMON,
          include: ALONE,
          testTimeout: 120_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
      { resolve, test: { name: "browser", ...IN_BROWSER, include: PAGES } },
      IN_FIREFOX,
      ...(process.env["GWC_WEBKIT"] === undefined ? [] : [IN_WEBKIT]),
      {
        resolve,
        test: {
          name: "secure",
          env: { GWC_WIRE: "tls" },
          ...COMMON,
          include: ["test/conformance/run.live.test.ts", `test/e2e/wire/{${SECURE.join(",")}}.test.ts`],
          testTimeout: 120_000,
          fileParallelism: false,
        },
      },
      {
        resolve,
        test: {
          name: "attack",
          ...COMMON,
          include: ["test/{attack,captcha-bots,captcha-solvers}/**/*.test.ts"],
          testTimeout: process.env["GWC_ATTACK"] === "long" ? 1_800_000 : 180_000,
          hookTimeout: 120_000,
          fileParallelism: false,
        },
      },
    ],
  },
});
