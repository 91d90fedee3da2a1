import { createHash, timingSafeEqual } from "node:crypto";

export interface AdminKey {
  name: string;
  key: string;
  role: "admin" | "viewer";
}

export type KeyIdentity = Pick<AdminKey, "name" | "role">;

/** Compares a presented key with the configured ones in constant time. */
export class Authentication {
  readonly #keys: { hash: Buffer; role: AdminKey["role"]; name: string }[];
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

  #matching(presented: string): { role: AdminKey["role"]; name: string } | undefined {
    const hash = hashOf(presented);
    let found: { role: AdminKey["role"]; name: string } | undefined;
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
