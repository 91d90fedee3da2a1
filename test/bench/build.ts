import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { CLI, deployment } from "./gwc.js";
import { manyRoutes } from "./many-routes.js";
import { scratchDirectory, stopProcess } from "./peer.js";
import { reloadSeconds } from "./reload.js";

const ROUTES = 20_000;
const FILES = 200;
/** As the peak of memory is read: it only rises. */
const LOOK_MS = 50;
const SERVE_MS = 600_000;

interface Run {
  seconds: number;
  /** Most resident memory. */
  megabytes: number;
}

/** A command as a whole process. */
async function timed(directory: string, args: readonly string[]): Promise<Run> {
  const started = performance.now();
  const child = spawn(process.execPath, [CLI, ...args], {
    cwd: directory,
    env: {
      ...process.env,
      ...{ XDG_CACHE_HOME: join(directory, "cache"), XDG_CONFIG_HOME: join(directory, "config") },
    },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let errors = "";
  child.stderr.on("data", (chunk) => {
    errors += chunk;
  });
  let peak = 0;
  const watch = setInterval(() => {
    peak = Math.max(peak, peakOf(child));
  }, LOOK_MS);
  const status = await new Promise((resolve) => child.once("exit", resolve));
  clearInterval(watch);
  if (status !== 0) throw new Error(`gwc ${args.join(" ")} failed:\n${errors.slice(0, 2_000)}`);
  return { seconds: (performance.now() - started) / 1_000, megabytes: peak / 1_024 };
}

/** Kilobytes; 0 where the system does not tell. */
function peakOf({ pid }: ChildProcess): number {
  try {
    return Number(/^VmHWM:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** The configuration in as many files, and one for what they share. @returns where it serves */
async function writeConfiguration(directory: string): Promise<number> {
  const { keys, status } = await deployment(directory);
  const { routes, ...shared } = manyRoutes(ROUTES, 1_980) as { routes: object[] };
  mkdirSync(join(directory, "conf.d"));
  writeFileSync(join(directory, "conf.d/shared.json"), JSON.stringify({ ...keys, ...shared }));
  for (let file = 0; file < FILES; file++) {
    const items = routes.slice((file * ROUTES) / FILES, ((file + 1) * ROUTES) / FILES);
    const list = items.map((route) => `  - ${JSON.stringify(route)}\n`).join("");
    writeFileSync(join(directory, `conf.d/team-${file}.yaml`), `routes:\n${list}`);
  }
  return status;
}

function changeValue(directory: string, to: string): void {
  const file = join(directory, `conf.d/team-${FILES / 2}.yaml`);
  writeFileSync(file, readFileSync(file, "utf8").replace(/"no-[a-z0-9-]+"/, JSON.stringify(to)));
}

function sizeOf(directory: string): number {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0);
}

/** Seconds until a gateway that runs the build is ready. */
async function untilReady(directory: string, status: number): Promise<number> {
  const started = performance.now();
  const child = spawn(process.execPath, [CLI, "run", "dist"], { cwd: directory, stdio: "ignore" });
  try {
    while (performance.now() - started < SERVE_MS) {
      const answer = await fetch(`http://127.0.0.1:${status}/status/ready`).catch(() => undefined);
      if (answer?.status === 200) return (performance.now() - started) / 1_000;
      await pause(LOOK_MS);
    }
    throw new Error("gwc run dist is not ready");
  } finally {
    await stopProcess(child);
  }
}

/** 20,000 routes in 200 files, each command as a whole process, beside the figures that are aimed at. */
export async function buildReport(progress: (text: string) => void): Promise<string> {
  const { path, remove } = scratchDirectory();
  const build = ["build", "conf.d", "--out", "dist"];
  try {
    const status = await writeConfiguration(path);
    progress(`checking ${ROUTES} routes`);
    const check = await timed(path, ["check", "conf.d"]);
    progress("building them");
    const clean = await timed(path, build);
    const size = sizeOf(join(path, "dist"));
    changeValue(path, "no-cache");
    progress("building them again with one value changed");
    const again = await timed(path, build);
    progress("running the build");
    const ready = await untilReady(path, status);
    progress("running the files and changing one value");
    let version = 0;
    const reload = await reloadSeconds(path, () => changeValue(path, `no-store-${version++}`));
    const seconds = (value: number) => `${value.toFixed(1)} s`;
    const megabytes = (value: number) => `${value.toFixed(0)} MB`;
    return [
      "| | measured | aim |",
      "|---|---|---|",
      `| \`gwc check\` | ${seconds(check.seconds)} | 8 s |`,
      `| \`gwc build\`, nothing built before | ${seconds(clean.seconds)} | 25 s |`,
      `| \`gwc build\` after one value changed | ${seconds(again.seconds)} | 3 s |`,
      `| most memory of the three | ${megabytes(Math.max(...[check, clean, again].map((run) => run.megabytes)))} | 600 MB |`,
      `| size of \`dist/\` | ${megabytes(size / 1e6)} | 60 MB |`,
      `| \`gwc run dist\` until ready | ${seconds(ready)} | 2 s |`,
      `| reload of one changed value, until every worker serves it | ${reload.toFixed(2)} s | 1 s |`,
    ].join("\n");
  } finally {
    remove();
  }
}
