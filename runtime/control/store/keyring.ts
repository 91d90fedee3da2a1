import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from "node:crypto";
import { StoreError } from "./store.js";

const CIPHER = "aes-256-gcm";
/** Bytes; NIST SP 800-38D sections 8.2 and 5.2.1.2. */
const NONCE = 12;
const TAG = 16;
/** What a sealed text begins with; the number is that of its form. */
const SEALED = "gwc:sealed:1:";
/** Mask of a secret: "***" and a keyed hash that tells equal secrets of one place, and nothing else. */
const MASK = /\*\*\*[0-9a-f]{8}(?![0-9a-f])/g;

/**
 * The keys of an installation. The first one seals, all of them open, so that a key can be replaced: put the new one in
 * front, and what is written from then on is sealed with it.
 */
export class Keyring {
  readonly #sealing: Buffer;
  readonly #opening: readonly Buffer[];
  readonly #masks: Buffer;
  /** Key of the compiler's names for literal secrets. */
  readonly secretKey: string;
  /** False: the key lives as long as this process, so that nothing sealed with it could be opened again. */
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

  /** A key that nobody else has, for a gateway that keeps nothing. */
  static ofThisProcess(): Keyring {
    return new Keyring([randomBytes(32).toString("base64")], false);
  }

  /** @param place where the text stands; it opens nowhere else @throws StoreError when the key would be lost */
  seal(text: string, place: string): string {
    if (!this.isKept) throw new StoreError("the store's encryption key cannot be kept, so no secret can be");
    const nonce = randomBytes(NONCE);
    const cipher = createCipheriv(CIPHER, this.#sealing, nonce).setAAD(Buffer.from(place));
    const sealed = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
    return SEALED + Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
  }

  isSealed(text: string): boolean {
    return text.startsWith(SEALED);
  }

  /** @throws StoreError when no key opens it: it is another installation's, stood elsewhere, or was altered */
  open(sealed: string, place: string): string {
    const bytes = Buffer.from(sealed.slice(SEALED.length), "base64");
    for (const key of this.#opening) {
      try {
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE), { authTagLength: TAG });
        decipher.setAAD(Buffer.from(place)).setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
        const text = [decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()];
        return Buffer.concat(text).toString("utf8");
      } catch {
        // The next key.
      }
    }
    throw new StoreError(`the secret at ${place} cannot be read: the store's encryption key is another one`);
  }

  /** Mask of a secret. @param place that it is bound to: the same secret has another mask elsewhere */
  mask(secret: string, place: string): string {
    const hash = createHmac("sha256", this.#masks).update(JSON.stringify([place, secret]));
    return `***${hash.digest("hex").slice(0, 8)}`;
  }

  /** Masks in a text, of whatever. */
  masksIn(text: string): string[] {
    return text.includes("***") ? (text.match(MASK) ?? []) : [];
  }
}

function derived(material: string, use: string): Buffer {
  return Buffer.from(hkdfSync("sha256", material, "", `gwc ${use} 1`, 32));
}
