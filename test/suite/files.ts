import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { LONG } from "./long.js";

/** Repository root; the suite runs from the sources (vitest) and from `.build` (`npm test`). */
export const ROOT = fileURLToPath(new URL("../..", import.meta.url)).replace(/\.build\/$/, "");

/** Paths of all test files, relative to the root, in the order of their names. */
export const TEST_FILES: readonly string[] = readdirSync(join(ROOT, "test"), {
  recursive: true,
  encoding: "utf8",
})
  .map((name) => join("test", name))
  .filter((name) => name.endsWith(".test.ts"))
  .sort();

const UNIT_FOLDERS = /^test\/(?:unit|golden|diagnostics|conformance|oracle|property|architecture)\//;

/** Files without a server that take 20 s and more: they run beside those that wait, so that a red unit test shows at once. */
const HEAVY = new Set([
  "test/unit/captcha/api/memory.test.ts",
  "test/unit/captcha/tasks/pictures.test.ts",
  "test/unit/spool/account.test.ts",
]);

/**
 * Tests that change their process: they replace a module, a clock or a stream, set the environment, or load a plugin package, whose
 * names a process keeps. Each gets a process of its own. All others share one on each processor, since loading the compiler for each of
 * 200 files took half the time of the units (241 s, then 119 s), and a third of the processor time of 50 files with gateways.
 */
const CHANGES_ITS_PROCESS =
  /\bvi\.|\bprocess\.env\[.*\] = |support\/plugin-package|loadPackages|register[A-Z]\w*\(/;

/** Programs that are not ours, started by the file itself or by a module that it imports. */
const STARTS_A_PEER =
  /support\/(?:redis-server|syslog-server|kafka-cluster|open-search|prometheus-server|browser|engine|firefox)|\/peers\.js|spawn\w*\("(?:nginx|haproxy|apache2)|\bopenHarness\(|DashboardHarness/;
const PEER_FOLDERS = /^test\/e2e\/(?:captcha\/browser|broker-logger)\//;

/**
 * Name of the one vitest project that runs a file: "fast", "apart", "gateway", "gateway-apart", "start" and "peers" are `npm test`;
 * "long-AREA" is `npm run test:long`, "webkit" `npm run test:webkit`.
 */
export const projectOf = (file: string): string => PROJECTS.get(file) ?? "";

function assign(file: string): string {
  if (file.startsWith("test/e2e/captcha/webkit/")) return "webkit";
  if (LONG.some((entry) => file === entry || (entry.endsWith("/") && file.startsWith(entry))))
    return `long-${areaOf(file)}`;
  if (UNIT_FOLDERS.test(file) && !file.endsWith(".live.test.ts") && !HEAVY.has(file))
    return CHANGES_ITS_PROCESS.test(text(file)) ? "apart" : "fast";
  if (file.startsWith("test/e2e/start/")) return "start";
  if (startsPeer(file)) return "peers";
  return CHANGES_ITS_PROCESS.test(text(file)) ? "gateway-apart" : "gateway";
}

/** True if the result also depends on a real peer or a browser: such a file has a second try. */
export const startsPeer = (file: string): boolean =>
  PEER_FOLDERS.test(file) || STARTS_A_PEER.test(text(file));

const PROJECTS = new Map(TEST_FILES.map((file) => [file, assign(file)]));

/** Files of test/e2e/wire that run again over TLS: framing, refusals, limits and pipelines belong to the codec. */
const OVER_TLS = ["bodies", "documented-refusals", "forwarding", "keep-alive", "limits", "matrix", "tunnel"];

/** One asks each browser by itself; the others need a browser that does not say that a program drives it. */
const IN_CHROMIUM_ALONE = /^test\/e2e\/captcha\/browser\/(?:program|person|patience)\.test\.ts$/;

/** Files that a project runs once more, in another way. */
const AGAIN: Readonly<Record<string, () => readonly string[]>> = {
  tls: () => [
    "test/conformance/run.live.test.ts",
    ...OVER_TLS.map((name) => `test/e2e/wire/${name}.test.ts`),
  ],
  properties: () => SAMPLED,
  firefox: () =>
    TEST_FILES.filter(
      (file) =>
        file === "test/e2e/dashboard/specification.test.ts" ||
        (file.startsWith("test/e2e/captcha/browser/") && !IN_CHROMIUM_ALONE.test(file)),
    ),
};

/** Files that a project of test/vitest.config.ts runs. */
export const filesOf = (project: string): readonly string[] =>
  AGAIN[project]?.() ?? TEST_FILES.filter((file) => projectOf(file) === project);

/** "spool" for test/e2e/spool/…, "browser" for test/e2e/captcha/browser/…, "attack" for test/attack/… */
function areaOf(file: string): string {
  if (file.startsWith("test/e2e/captcha/browser/")) return "browser";
  return /^test\/(?:e2e\/)?([^/]+)\//.exec(file)?.[1] ?? "other";
}

/** Areas of `npm run test:long`, in the order of their names. */
export const LONG_AREAS: readonly string[] = [
  ...new Set(TEST_FILES.map(projectOf).flatMap((name) => (name.startsWith("long-") ? [name.slice(5)] : []))),
].sort();

/** Files that try a part of their cases in `npm test`, and all of them in the step "properties" of `npm run test:long`. */
const SAMPLED: readonly string[] = TEST_FILES.filter(
  (file) => !projectOf(file).startsWith("long-") && text(file).includes("support/runs.js"),
);

function text(file: string): string {
  return readFileSync(join(ROOT, file), "utf8");
}
