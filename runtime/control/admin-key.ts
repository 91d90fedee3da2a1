import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AdminKey } from "./admin/authentication.js";

const FILE = "admin.key";

/**
 * Generates the key once, beside the store and readable by its owner only: there is no default key to know.
 * @param otherwise fallback if the directory is not writable, as in a read-only container
 */
export function generatedAdminKey(directory: string, otherwise?: string): { key: AdminKey; file: string } {
  const directories = [directory, ...(otherwise === undefined ? [] : [otherwise])];
  return keptIn(directories) ?? newKey(directories);
}

function keptIn(directories: readonly string[]): { key: AdminKey; file: string } | undefined {
  for (const directory of directories) {
    const file = join(directory, FILE);
    try {
      const kept = readFileSync(file, "utf8").trim();
      if (kept !== "") return { key: named(kept), file };
    } catch {
      // Nothing is stored before the first start.
    }
  }
  return undefined;
}

function newKey([directory = "", ...others]: readonly string[]): { key: AdminKey; file: string } {
  const file = join(directory, FILE);
  // The prefix identifies the key to scanners of leaked secrets and to the verification of the captcha.
  const key = `adm_${randomBytes(24).toString("base64url")}`;
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(file, `${key}\n`, { mode: 0o600 });
    return { key: named(key), file };
  } catch (error) {
    if (others.length === 0) throw error;
    return newKey(others);
  }
}

const named = (key: string): AdminKey => ({ name: "generated", key, role: "admin" });
