import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { CLI } from "./gwc.js";
import { manyRoutes } from "./many-routes.js";
import { scratchDirectory } from "./peer.js";

function timed(directory: string, args: string[]): string {
  const started = performance.now();
  const done = spawnSync(process.execPath, [CLI, "build", ...args], { cwd: directory, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`gwc build failed:\n${done.stderr.slice(0, 2_000)}`);
  return `${((performance.now() - started) / 1_000).toFixed(1)} s`;
}

/** `gwc build` of 10,000 routes as a whole process, with and without the type check of the generated modules. */
export async function buildReport(progress: (text: string) => void): Promise<string> {
  const { path, remove } = scratchDirectory();
  try {
    mkdirSync(join(path, "conf"));
    writeFileSync(join(path, "conf/gateway.json"), JSON.stringify(manyRoutes(10_000, 1_980), null, 1));
    progress("building 10,000 routes without the type check");
    const emitted = timed(path, ["conf", "--out", "quick", "--no-type-check"]);
    progress("building 10,000 routes with the type check");
    const checked = timed(path, ["conf", "--out", "checked"]);
    return `| parsed, planned, emitted, written | the same with the full type check |\n|---|---|\n| ${emitted} | ${checked} |`;
  } finally {
    remove();
  }
}
