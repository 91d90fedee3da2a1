import { randomBytes } from "node:crypto";
import {
  closeSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { messageOf } from "../abi/error-message.js";
import { log } from "../process/log.js";
import { Keyring } from "./store/keyring.js";

const FILE = "encryption.key";

/**
 * Loads the keys that encrypt secrets in the store: `gw.data_encryption.keyring`, or a key generated once and
 * stored beside the store (0600). That key still decrypts old secrets after a keyring is configured.
 * @param directory directory of the store; null if nothing is stored
 */
export function storeKeys(directory: string | null, keyring: readonly string[]): Keyring {
  if (directory === null) return Keyring.ofThisProcess();
  const file = join(directory, FILE);
  const kept = keyOf(file);
  const [first, ...others] = keyring;
  if (first !== undefined) return new Keyring([first, ...others, ...(kept === undefined ? [] : [kept])]);
  if (kept !== undefined) return new Keyring([kept]);
  try {
    return new Keyring([makeKey(directory, file)]);
  } catch (error) {
    // A disk that rejects a key rejects writes too, but the stored resources can still be served.
    log("encryption_key_not_kept", { reason: messageOf(error) });
    return Keyring.ofThisProcess();
  }
}

function keyOf(file: string): string | undefined {
  try {
    return whole(file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    log("encryption_key_unreadable", { file, reason: (error as Error).message });
    return undefined;
  }
}

/** Writes the key to another file, flushes it and renames it before use; the first of two writers wins. */
function makeKey(directory: string, file: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const next = `${file}.${process.pid}`;
  const descriptor = openSync(next, "wx", 0o600);
  try {
    writeSync(descriptor, `${randomBytes(32).toString("base64")}\n`);
    fsyncSync(descriptor);
    linkSync(next, file);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  } finally {
    closeSync(descriptor);
    rmSync(next, { force: true });
  }
  const folder = openSync(directory, "r");
  fsyncSync(folder);
  closeSync(folder);
  return whole(file);
}

/** @throws Error for a truncated file: anybody could guess an empty key */
function whole(file: string): string {
  const key = readFileSync(file, "utf8").trim();
  if (key.length < 16) throw new Error(`${file} contains no key`);
  return key;
}
