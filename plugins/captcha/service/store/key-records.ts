import type { JsonWebKey } from "node:crypto";
import { createCipheriv, createDecipheriv, randomBytes } from "node:crypto";

/** A signing key. Times in epoch ms. */
export interface KeyRecord {
  kid: string;
  /** Property of the key, never of a token's header (reference 5.2). */
  alg: "EdDSA";
  /** With its private part. */
  jwk: JsonWebKey;
  created: number;
  /** Start of signing. */
  notBefore: number;
  /** End of signing; null: not retired. */
  retireAt: number | null;
}

/** The signing keys in a store that processes or nodes may share. */
export interface KeyRecords {
  /** Number of times that the store may have lost its data: earlier keys must not be used after that. */
  losses(): number;
  /** @throws StorageError */
  load(): Promise<KeyRecord[]>;
  /** @throws StorageError */
  put(record: KeyRecord): Promise<void>;
  /** @throws StorageError */
  remove(kid: string): Promise<void>;
}

/** Store of the sealed keys: opaque strings. */
export interface EncryptedKeys {
  losses(): number;
  all(): Promise<Map<string, string>>;
  put(kid: string, sealed: string): Promise<void>;
  remove(kid: string): Promise<void>;
}

const CIPHER = "aes-256-gcm";
/** In bytes; NIST SP 800-38D sections 8.2 and 5.2.1.2. */
const NONCE = 12;
const TAG = 16;

/**
 * Key records in a store that others may read: sealed with AES-256-GCM, each bound to its kid.
 * @param key the secret "key-ring", 32 bytes
 * @param unreadable called once with the kid of each record that this key does not open: of another
 * installation or secret
 */
export function keyRecordsIn(
  keys: EncryptedKeys,
  key: Buffer,
  unreadable: (kid: string) => void,
): KeyRecords {
  /**
   * The keys are read again whenever a token names an unknown one; any visitor can cause that, and it must
   * not fill the log.
   */
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
