import { spawnSync } from "node:child_process";
import { existsSync, renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { farPage } from "../../../../runtime/abi/lmdb-head.js";
import { StorageError } from "../contract.js";

export const claimsFile = (directory: string): string => join(directory, "claims.lmdb");
/** Beside the claims and not in their file: it is not flushed, and a damaged one costs nobody a token. */
export const statesFile = (directory: string): string => join(directory, "sessions.lmdb");

/** What the probe ends with when LMDB says that the file is no store. */
export const NO_STORE = 3;

/** There where the service was built; sources run by a test runner open the file without looking first. */
const PROBE = new URL("./lmdb-probe.js", import.meta.url);
/** Reading a large store takes a second. */
const PROBE_MS = 30_000;
const CRASHES: ReadonlySet<string | null> = new Set(["SIGSEGV", "SIGBUS", "SIGABRT"]);

/**
 * Looks at a file of the store in a process of its own and sets a damaged one aside: LMDB maps the file, and a damaged or cut one
 * ends whoever reads it with SIGSEGV or SIGBUS. The signing keys go with the claims, so nothing that was used can be used again.
 * @returns the new name of what was set aside
 * @throws StorageError when it cannot be looked at
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
    throw new StorageError(`the captcha's store cannot be looked at: ${child.signal ?? child.status}`);
  return aside(file, epochMs);
}

function aside(file: string, epochMs: number): string {
  const name = `${file}.damaged-${epochMs}`;
  renameSync(file, name);
  if (existsSync(`${file}-lock`)) renameSync(`${file}-lock`, `${name}-lock`);
  return name;
}
