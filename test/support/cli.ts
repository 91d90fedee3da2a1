import { execFile, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach } from "vitest";

export const CLI = fileURLToPath(new URL("../../.build/bundle/gwc.js", import.meta.url));

export interface Finished {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** Runs `gwc` as a process in a directory, without the colors and keys of the surrounding environment. */
export function gwc(
  directory: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Finished {
  const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ...environment };
  const { status, stdout, stderr } = spawnSync(process.execPath, [CLI, ...args], {
    cwd: directory,
    env,
    encoding: "utf8",
  });
  return { status, stdout, stderr };
}

/** Does the same asynchronously, so that this process can respond as the gateway. */
export function gwcInBackground(
  directory: string,
  args: readonly string[],
  environment: Record<string, string> = {},
): Promise<Finished & { status: number }> {
  const env = { PATH: process.env["PATH"] ?? "", NO_COLOR: "1", ...environment };
  return new Promise((resolve) => {
    execFile(process.execPath, [CLI, ...args], { cwd: directory, env }, (error, stdout, stderr) =>
      resolve({ status: typeof error?.code === "number" ? error.code : 0, stdout, stderr }),
    );
  });
}

/** Creates a temporary directory; `remove` deletes it. */
export function temporaryDirectory(): { path: string; remove: () => void } {
  const path = mkdtempSync(join(tmpdir(), "gwc-test-"));
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Creates an empty directory for each test of a file, and deletes it afterwards. */
export function useTemporaryDirectory(): { readonly path: string } {
  let directory: ReturnType<typeof temporaryDirectory>;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => directory.remove());
  return {
    get path() {
      return directory.path;
    },
  };
}
