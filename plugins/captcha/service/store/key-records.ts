import type { JsonWebKey } from "node:crypto";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** Times in epoch ms. */
export interface KeyRecord {
  kid: string;
  /** Property of the key, never of a token's header (reference 5.2). */
  alg: "EdDSA";
  jwk: JsonWebKey;
  created: number;
  notBefore: number;
  /** End of signing; null: not retired. */
  retireAt: number | null;
}

/** Store that processes or nodes may share. */
export interface KeyRecords {
  /** Data losses so far: keys from before the latest must not be used. */
  losses(): number;
  /** @throws StorageError */
  load(): Promise<KeyRecord[]>;
  /** @throws StorageError */
  put(record: KeyRecord): Promise<void>;
  /** @throws StorageError */
  remove(kid: string): Promise<void>;
}

/** Sealed keys: opaque strings. */
export interface EncryptedKeys {
  losses(): number;
  all(): Promise<Map<string, string>>;
  put(kid: string, sealed: string): Promise<void>;
  remove(kid: string): Promise<void>;
}

const CIPHER = "aes-256-gcm";
/** Bytes; NIST SP 800-38D sections 8.2 and 5.2.1.2. */
const NONCE = 12;
const TAG = 16;

/**
 * Sealed with AES-256-GCM, each bound to its kid, in a store that others may read.
 * @param key the secret "key-ring", 32 bytes
 * @param unreadable called once with the kid of each record that this key does not open: of another
 *   installation or secret
 */
export function keyRecordsIn(
  keys: EncryptedKeys,
  key: Buffer,
  unreadable: (kid: string) => void,
): KeyRecords {
  /** Reported once: any visitor makes the service read the keys again, by a token that names an unknown one. */
  const told = new Set<string>();
  return {
    losses: () => keys.losses(),
    async load() {
      const records: KeyRecord[] = [];
      for (const [kid, sealed] of await keys.all()) {
        const record = opened(sealed, kid, key);
        if (record !== undefined) records.push(record);
        else if (!told.has(kid)) {
          told.add(kid);
          unreadable(kid);
        }
      }
      return records;
    },
    put: (record) => keys.put(record.kid, seal(record, key)),
    remove: (kid) => keys.remove(kid),
  };
}

function seal(record: KeyRecord, key: Buffer): string {
  const nonce = randomBytes(NONCE);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(record.kid));
  const sealed = Buffer.concat([cipher.update(JSON.stringify(record), "utf8"), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString("base64");
}

function opened(sealed: string, kid: string, key: Buffer): KeyRecord | undefined {
  const bytes = Buffer.from(sealed, "base64");
  try {
    const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE), { authTagLength: TAG });
    decipher.setAAD(Buffer.from(kid)).setAuthTag(bytes.subarray(NONCE, NONCE + TAG));
    const text = Buffer.concat([decipher.update(bytes.subarray(NONCE + TAG)), decipher.final()]);
    return JSON.parse(text.toString("utf8")) as KeyRecord;
  } catch {
    return undefined;
  }
}
