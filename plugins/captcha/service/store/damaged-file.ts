import { spawnSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { farPage } from "../../../../runtime/process/service-api.js";
import { StorageError } from "../contract.js";
import { NO_STORE } from "./lmdb-file.js";

/** Exists in a build; with sources run by a test runner the file is opened without a probe. */
const PROBE = new URL("./lmdb-probe.js", import.meta.url);
/** Timeout; reading a large store takes a second. */
const PROBE_MS = 30_000;
const CRASHES: ReadonlySet<string | null> = new Set(["SIGSEGV", "SIGBUS", "SIGABRT"]);

/**
 * Probes a file in a process of its own: LMDB maps it, and a damaged or truncated one kills its reader with
 * SIGSEGV or SIGBUS. The signing keys are lost with the claims, so no used token can be used again.
 * @returns the new name of a damaged file
 * @throws StorageError if the file cannot be probed
 */
export function setDamagedAside(file: string, epochMs: number): string | undefined {
  if (!existsSync(file)) return undefined;
  if (farPage(file) !== undefined) return aside(file, epochMs);
  if (!existsSync(PROBE)) return undefined;
  const child = spawnSync(process.execPath, [fileURLToPath(PROBE), file], {
    stdio: "ignore",
    timeout: PROBE_MS,
  });
  if (child.status === 0) return undefined;
  if (child.status !== NO_STORE && !CRASHES.has(child.signal))
    throw new StorageError(`the captcha's store cannot be checked: ${child.signal ?? child.status}`);
  return aside(file, epochMs);
}

function aside(file: string, epochMs: number): string {
  const name = `${file}.damaged-${epochMs}`;
  renameSync(file, name);
  if (existsSync(`${file}-lock`)) renameSync(`${file}-lock`, `${name}-lock`);
  return name;
}
