import { hkdfSync, randomBytes } from "node:crypto";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { messageOf } from "../../../runtime/abi/plugin-api.js";
import { StartError } from "../../../runtime/process/contribution-api.js";
import type { CaptchaConfiguration } from "../service/contract.js";

/** `info` of the derivation. */
const USES = ["api-key", "ip-binding", "address", "key-ring", "program"] as const;
const SALT = "gwc captcha 1";
const KEY_BYTES = 32;
/** Secret from `newSecret`: 32 bytes in base64url. */
const MADE = /^[A-Za-z0-9_-]{43}$/;

/** HKDF-SHA-256 (RFC 5869) of the secret, 32 bytes each. No key reveals another. */
export function derivedKeys(secret: string): Record<keyof CaptchaConfiguration["secrets"], Buffer> {
  const [apiKey, ipBinding, address, keyRing, program] = USES.map((use) =>
    Buffer.from(hkdfSync("sha256", secret, SALT, use, KEY_BYTES)),
  ) as [Buffer, Buffer, Buffer, Buffer, Buffer];
  return { "api-key": apiKey, "ip-binding": ipBinding, address, "key-ring": keyRing, program };
}

/** @throws StartError if the secret cannot be stored */
export function secretOf({
  secret,
  secretFile,
}: {
  secret: string | null;
  secretFile: string | null;
}): string {
  if (secret !== null) return secret;
  if (secretFile === null) return newSecret();
  try {
    return keptSecret(secretFile);
  } catch (error) {
    const reason = messageOf(error);
    throw new StartError(`the secret of the captcha cannot be stored: ${reason}; set captcha.secret instead`);
  }
}

/**
 * Generated secret, readable for its owner only. Without it nobody can check an API key that was issued here,
 * so it is stored with the store.
 * @throws Error if it can be neither read nor written, or is truncated: another one must not replace it
 */
function keptSecret(file: string): string {
  try {
    const kept = readFileSync(file, "utf8").trim();
    if (MADE.test(kept)) return kept;
    // An empty file was not written yet. Part of a secret is invalid, and could be guessed.
    if (kept !== "") throw new Error(`${file} is damaged`);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error;
  }
  const made = newSecret();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileSync(file, `${made}\n`, { mode: 0o600 });
  return made;
}

const newSecret = () => randomBytes(KEY_BYTES).toString("base64url");
