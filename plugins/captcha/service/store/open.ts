import type {
  CaptchaClock,
  CaptchaSettings,
  ClaimStore,
  LiveConfiguration,
  StateStore,
} from "../contract.js";
import { setDamagedAside } from "./damaged-file.js";
import { type EncryptedKeys, type KeyRecords, keyRecordsIn } from "./key-records.js";
import { openLmdb } from "./lmdb.js";
import { claimsFile, statesFile } from "./lmdb-file.js";
import { openLmdbStates } from "./lmdb-states.js";
import { captchaWriteFault } from "./lmdb-writes.js";
import { memoryClaims, memoryKeys } from "./memory.js";
import { RedisClaims, redisKeys } from "./redis.js";
import { RedisConnection } from "./redis-connection.js";
import { RedisStates } from "./redis-states.js";
import { MemoryStates } from "./states.js";

export interface CaptchaStores {
  claims: ClaimStore;
  states: StateStore;
  keyRecords: KeyRecords;
}

/** Maximum wait for Redis at the start; the service starts without it, and responds 503 meanwhile. */
const PATIENCE_MS = 2_000;

/**
 * All three kinds have the same contract. Their content survives a restart in LMDB, and in Redis as far as
 * its settings persist data.
 * @param report called for damaged, emptied, unsafe or unreachable stores; never with their content
 * @param failed called for each LMDB write that is rejected until a restart
 * @throws StorageError if the directory of LMDB cannot be used
 */
export async function openStores(
  settings: Pick<CaptchaSettings, "store" | "limits">,
  secrets: Pick<LiveConfiguration["secrets"], "key-ring">,
  clock: CaptchaClock,
  report: (event: string, fields: Readonly<Record<string, string>>) => void = () => {},
  failed?: (isAsked: boolean) => void,
): Promise<CaptchaStores> {
  const { store, limits } = settings;
  const records = (keys: EncryptedKeys) =>
    keyRecordsIn(keys, secrets["key-ring"], (kid) => report("captcha_key_unreadable", { kid }));
  if (store.type === "redis") {
    const connection = new RedisConnection(store.url, store.timeoutMs, report);
    await connection.open(PATIENCE_MS);
    return {
      claims: new RedisClaims(connection, clock),
      states: new RedisStates(connection, limits),
      keyRecords: records(redisKeys(connection)),
    };
  }
  if (store.type === "memory")
    return {
      claims: memoryClaims(limits.claims, clock),
      states: new MemoryStates(limits, clock),
      keyRecords: records(memoryKeys()),
    };
  for (const file of [claimsFile(store.path), statesFile(store.path)]) {
    const aside = setDamagedAside(file, clock.now());
    if (aside !== undefined) report("captcha_store_damaged", { moved_to: aside });
  }
  const fault = captchaWriteFault(failed);
  const { claims, keys } = openLmdb(store.path, limits.claims, clock, fault);
  return { claims, states: openLmdbStates(store.path, limits, clock, fault), keyRecords: records(keys) };
}
