import { createHash, randomBytes, timingSafeEqual } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

export interface AdminKey {
  name: string;
  key: string;
  role: "admin" | "viewer";
}

export type KeyIdentity = Pick<AdminKey, "name" | "role">;

/** Compares a presented key with the configured ones in constant time. */
export class Authentication {
  readonly #keys: (KeyIdentity & { hash: Buffer })[];
  /** False if any client that reaches the listener has full access. */
  readonly required: boolean;

  constructor(keys: readonly AdminKey[], required: boolean) {
    this.#keys = keys.map(({ name, key, role }) => ({ name, role, hash: hashOf(key) }));
    this.required = required;
  }

  /**
   * Returns the reason to deny a request, or undefined if it is allowed.
   * @param presented value of `X-API-KEY`; a key in the query or a cookie would end up in logs and is ignored
   * @param changesNothing true for an operation that only reads, whatever its method
   */
  denial(presented: string | undefined, method: string, changesNothing = false): string | undefined {
    if (!this.required) return undefined;
    if (presented === undefined || presented === "") return "missing apikey";
    const role = this.#matching(presented)?.role;
    if (role === undefined) return "wrong apikey";
    const reads = changesNothing || method === "GET" || method === "HEAD";
    if (role === "viewer" && !reads) return "invalid method for role viewer";
    return undefined;
  }

  identityOf(presented: string | undefined): KeyIdentity | undefined {
    if (presented === undefined) return undefined;
    const key = this.#matching(presented);
    return key && { name: key.name, role: key.role };
  }

  #matching(presented: string): KeyIdentity | undefined {
    const hash = hashOf(presented);
    let found: KeyIdentity | undefined;
    // No early exit: every key is compared, for constant time. The first match decides.
    for (const key of this.#keys) {
      if (timingSafeEqual(key.hash, hash) && found === undefined) found = key;
    }
    return found;
  }
}

function hashOf(key: string): Buffer {
  return createHash("sha256").update(key).digest();
}

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
