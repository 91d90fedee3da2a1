import { randomBytes } from "node:crypto";
import { type CryptoKey, exportJWK, generateKeyPair, importJWK, type JWK } from "jose";
import { type CaptchaClock, StorageError } from "../contract.js";
import type { KeyRecord, KeyRecords } from "../store/key-records.js";

/** Maximum with any site key (H6), in seconds. */
export const MAX_TTL_S = 600;
/** Maximum delay until a node sees another's rotation; until then it may sign with the retired key. */
const REFRESH_MS = 30_000;
/** Minimum interval of reads because of an unknown kid: kids come from outside. */
const MIN_PAUSE_MS = 200;
export const KID = /^[A-Za-z0-9_-]{1,32}$/;

export interface RingKey {
  kid: string;
  alg: KeyRecord["alg"];
  record: KeyRecord;
  /** Encoded protected header: a token with any other header is not ours. */
  header: string;
  private: CryptoKey;
  public: CryptoKey;
}

/** Cache; the store is authoritative. */
export class KeyRing {
  readonly #records: KeyRecords;
  readonly #clock: CaptchaClock;
  #keys = new Map<string, RingKey>();
  /** Monotonic ms of the last read; undefined: none, or the store may have lost its data. */
  #read: number | undefined;
  #losses = 0;
  #reading: Promise<void> | undefined;

  constructor(records: KeyRecords, clock: CaptchaClock) {
    this.#records = records;
    this.#clock = clock;
  }

  /** @throws StorageError if the keys are not known and cannot be read */
  async signing(): Promise<RingKey> {
    await this.#current();
    return this.#newest() ?? (await this.#firstKey());
  }

  /** Finds a retired key, too, while its tokens may be valid. @throws StorageError if no keys are known */
  async find(kid: string): Promise<RingKey | undefined> {
    await this.#current();
    const known = this.#keys.get(kid);
    if (known === undefined && this.#age() >= MIN_PAUSE_MS) await this.#reread();
    const key = this.#keys.get(kid);
    return key !== undefined && !this.#outlived(key.record) ? key : undefined;
  }

  /** Earlier keys stop signing, and verify as long as their tokens can be valid. */
  async rotate(): Promise<string> {
    await this.#reread();
    const now = this.#clock.now();
    const old = [...this.#keys.values()].map(({ record }) => record);
    const added = await newRecord(now);
    await this.#records.put(added);
    for (const record of old) {
      if (this.#outlived(record)) await this.#records.remove(record.kid);
      else if (record.retireAt === null) await this.#records.put({ ...record, retireAt: now + REFRESH_MS });
    }
    await this.#reread();
    return added.kid;
  }

  /** Keys that verify now. */
  async kids(): Promise<string[]> {
    await this.#current();
    return [...this.#keys.values()].filter(({ record }) => !this.#outlived(record)).map(({ kid }) => kid);
  }

  #age(): number {
    return this.#read === undefined ? Number.POSITIVE_INFINITY : this.#clock.monotonic() - this.#read;
  }

  async #current(): Promise<void> {
    const losses = this.#records.losses();
    if (losses !== this.#losses) {
      // Claims are lost, so the keys of their tokens must not be used again.
      this.#losses = losses;
      this.#keys = new Map();
      this.#read = undefined;
    }
    if (this.#read === undefined) await this.#reread();
    else if (this.#age() >= REFRESH_MS) void this.#reread().catch(() => {});
  }

  #reread(): Promise<void> {
    this.#reading ??= this.#load().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  async #load(): Promise<void> {
    const losses = this.#records.losses();
    const records = await this.#records.load();
    const keys = new Map<string, RingKey>();
    for (const record of records) {
      const known = this.#keys.get(record.kid);
      keys.set(record.kid, known === undefined ? await ringKey(record) : { ...known, record });
    }
    if (losses !== this.#records.losses())
      throw new StorageError("the store changed while its keys were read");
    this.#losses = losses;
    this.#keys = keys;
    this.#read = this.#clock.monotonic();
  }

  #newest(): RingKey | undefined {
    const now = this.#clock.now();
    let newest: RingKey | undefined;
    for (const key of this.#keys.values()) {
      const { retireAt, created, notBefore } = key.record;
      // Another node's clock may be a little ahead: its new key is used at once rather than none.
      if (retireAt !== null || notBefore > now + REFRESH_MS) continue;
      if (newest === undefined || created > newest.record.created) newest = key;
    }
    return newest;
  }

  async #firstKey(): Promise<RingKey> {
    const record = await newRecord(this.#clock.now());
    await this.#records.put(record);
    await this.#reread();
    const key = this.#newest();
    if (key === undefined) throw new StorageError("the store does not keep a signing key");
    return key;
  }

  #outlived({ retireAt }: KeyRecord): boolean {
    return retireAt !== null && this.#clock.now() >= retireAt + MAX_TTL_S * 1_000;
  }
}

async function newRecord(now: number): Promise<KeyRecord> {
  const { privateKey } = await generateKeyPair("EdDSA", { crv: "Ed25519", extractable: true });
  const kid = randomBytes(12).toString("base64url");
  return {
    kid,
    alg: "EdDSA",
    jwk: await exportJWK(privateKey),
    created: now,
    notBefore: now,
    retireAt: null,
  };
}

async function ringKey(record: KeyRecord): Promise<RingKey> {
  const { kid, alg, jwk } = record;
  const { d: _, ...open } = jwk as JWK;
  const header = Buffer.from(JSON.stringify(headerOf(record))).toString("base64url");
  return {
    kid,
    alg,
    record,
    header,
    private: (await importJWK(jwk as JWK, alg)) as CryptoKey,
    public: (await importJWK(open, alg)) as CryptoKey,
  };
}

/** RFC 7515 section 4, RFC 8725 section 3.11: the type distinguishes it from other kinds of JWT. */
export const TYPE = "spc+jwt";
export const headerOf = ({ kid, alg }: Pick<KeyRecord, "kid" | "alg">) => ({ alg, kid, typ: TYPE });
