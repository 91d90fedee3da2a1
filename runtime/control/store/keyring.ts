import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
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
import { messageOf } from "../../abi/error-message.js";
import { log } from "../../process/log.js";
import { StoreError } from "./store.js";

const CIPHER = "aes-256-gcm";
/** Size in bytes; NIST SP 800-38D sections 8.2 and 5.2.1.2. */
const NONCE = 12;
const TAG = 16;
/** Prefix of an encrypted text, with the number of its format. */
const SEALED = "gwc:sealed:1:";
/** Mask of a secret: "***" and a keyed hash, which reveals only equal secrets at the same location. */
const MASK = /\*\*\*[0-9a-f]{8}(?![0-9a-f])/g;

/** Keys of an installation: the first one encrypts, all decrypt. To replace a key, put the new one first. */
export class Keyring {
  readonly #sealing: Buffer;
  readonly #opening: readonly Buffer[];
  readonly #masks: Buffer;
  readonly secretKey: string;
  /** False if the key exists only in this process, so that texts encrypted with it would be lost. */
  readonly isKept: boolean;

  /** @param materials at least one; texts with the strength of a key */
  constructor(materials: readonly [string, ...string[]], isKept = true) {
    const [first] = materials;
    this.#sealing = derived(first, "store");
    this.#opening = materials.map((material) => derived(material, "store"));
    this.#masks = derived(first, "mask");
    this.secretKey = derived(first, "reference").toString("hex");
    this.isKept = isKept;
  }

  static ofThisProcess(): Keyring {
    return new Keyring([randomBytes(32).toString("base64")], false);
  }

  /** @param place location of the text; it decrypts only there @throws StoreError if the key would be lost */
  seal(text: string, place: string): string {
    if (!this.isKept)
      throw new StoreError("the store's encryption key cannot be saved, so secrets cannot be stored");
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(CIPHER, this.#sealing, nonce).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return SEALED + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
  }

  isSealed(text: string): boolean {
    return text.startsWith(SEALED);
  }

  /** @throws StoreError if no key decrypts it: it has another key or location, or was altered */
  open(sealed: string, place: string): string {
    const bytes = Buffer.from(sealed.slice(SEALED.length), "base64");
    for (const key of this.#opening) {
      try {
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE), { authTagLength: TAG });
        decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
        const text = [decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()];
        return Buffer.concat(text).toString("utf8");
      } catch {
        // Try the next key.
      }
    }
    throw new StoreError(`the secret at ${place} cannot be read: it was encrypted with another key`);
  }

  /** Returns the mask of a secret. @param place location to which it is bound: elsewhere the mask differs */
  mask(secret: string, place: string): string {
    const hash = createHmac("sha256", this.#masks).update(JSON.stringify([place, secret]));
    return `***${hash.digest("hex").slice(0, 8)}`;
  }

  /** Returns all masks in a text, valid or not. */
  masksIn(text: string): string[] {
    return text.includes("***") ? (text.match(MASK) ?? []) : [];
  }
}

function derived(material: string, use: string): Buffer {
  return Buffer.from(hkdfSync("sha256", material, "", `gwc ${use} 1`, 32));
}

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
    if ((error as NodeJS.ErrnoException).code !== "ENOENT")
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
