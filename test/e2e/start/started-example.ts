import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect } from "vitest";
import { until } from "../../support/patience.js";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

/**
 * Runs the command of `npm start` that follows its build while the file's tests run, and expects exit code 0
 * after SIGTERM.
 * @returns a function that returns its output so far
 */
export function useStartedExample(): () => string {
  let child: ChildProcess;
  let output = "";
  beforeAll(async () => {
    child = spawn(process.execPath, [".build/examples/start.js"], {
      cwd: ROOT,
      stdio: ["ignore", "pipe", "inherit"],
    });
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      output += text;
    });
    await until(() => {
      if (child.exitCode !== null) throw new Error(`npm start ended with ${child.exitCode}:\n${output}`);
      return output.includes("Ctrl-C");
    });
  });
  afterAll(async () => {
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGTERM");
    expect(await ended).toBe(0);
  });
  return () => output;
}
