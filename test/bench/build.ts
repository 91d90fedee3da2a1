import "../../plugins/index.js";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfiguration } from "../../compiler/frontend.js";
import { type CompileInput, compile } from "../../compiler/index.js";
import { CLI } from "./gwc.js";
import { manyRoutes } from "./many-routes.js";
import { scratchDirectory } from "./peer.js";

function timed(directory: string, args: string[]): string {
  const started = performance.now();
  const done = spawnSync(process.execPath, [CLI, "build", ...args], { cwd: directory, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`gwc build failed:\n${done.stderr.slice(0, 2_000)}`);
  return `${((performance.now() - started) / 1_000).toFixed(1)} s`;
}

/** Seconds of the steps from the checked configuration to the modules, in this process: what parsing and validating take is measured and left out. */
function plannedAndEmitted(text: string): string {
  const input: CompileInput = { sources: [{ name: "gateway.json", text, format: "json" }], environment: {} };
  // The first time it is compiled itself.
  readConfiguration(input);
  const started = performance.now();
  readConfiguration(input);
  const read = performance.now();
  const { artifact } = compile(input);
  const ended = performance.now();
  if (artifact === undefined) throw new Error("the configuration has errors");
  return `${((ended - read - (read - started)) / 1_000).toFixed(1)} s`;
}

/** `gwc build` of 10,000 routes as a whole process, with and without the type check of the generated modules. */
export async function buildReport(progress: (text: string) => void): Promise<string> {
  const { path, remove } = scratchDirectory();
  try {
    mkdirSync(join(path, "conf"));
    const text = JSON.stringify(manyRoutes(10_000, 1_980), null, 1);
    writeFileSync(join(path, "conf/gateway.json"), text);
    progress("planning and emitting 10,000 routes");
    const planned = plannedAndEmitted(text);
    progress("building 10,000 routes without the type check");
    const emitted = timed(path, ["conf", "--out", "quick", "--no-type-check"]);
    progress("building 10,000 routes with the type check");
    const checked = timed(path, ["conf", "--out", "checked"]);
    return [
      "| planned and emitted | `gwc build --no-type-check` | `gwc build` |",
      "|---|---|---|",
      `| ${planned} | ${emitted} | ${checked} |`,
    ].join("\n");
  } finally {
    remove();
  }
}
