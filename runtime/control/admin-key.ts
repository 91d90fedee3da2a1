import { randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AdminKey } from "./admin/authentication.js";

const FILE = "admin.key";

/**
 * The key of a gateway that none was configured for: made once, kept beside the store for its owner's eyes only.
 * There is no default key that anybody could know.
 */
export function generatedAdminKey(directory: string): { key: AdminKey; file: string } {
  const file = join(directory, FILE);
  const made = (key: string) => ({ key: { name: "generated", key, role: "admin" } as const, file });
  try {
    const kept = readFileSync(file, "utf8").trim();
    if (kept !== "") return made(kept);
  } catch {
    // The first start.
  }
  // The beginning tells scanners of leaked secrets, and the captcha's verification, whose key it is.
  const key = `adm_${randomBytes(24).toString("base64url")}`;
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  writeFileSync(file, `${key}\n`, { mode: 0o600 });
  return made(key);
}
