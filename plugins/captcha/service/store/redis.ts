import { createHash, randomBytes } from "node:crypto";
import type { CaptchaClock, ClaimStore } from "../contract.js";
import type { EncryptedKeys } from "./key-records.js";
import { KEYS, kindOf, LOOK_UP_MS, PREFIX, type RedisConnection } from "./redis-connection.js";
import { inTime } from "./states.js";

/**
 * One claim in the caller's epoch. Returns 1 and the stored value, which is the caller's own if it won. `SET
 * … NX` alone is not enough: nothing may happen between the check of the epoch and the write.
 */
const CLAIM = `
if redis.call('get', KEYS[2]) ~= ARGV[3] then return redis.error_reply('EPOCH another epoch') end
local present = redis.call('get', KEYS[1])
if present then return present end
redis.call('set', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2])
return ARGV[1]`;

/** Time between two lookups of a claim whose outcome is unknown. */
const PAUSE_MS = 20;
const MARK = 22;

/** Durability depends on Redis's settings: see docs/captcha. */
export class RedisClaims implements ClaimStore {
  readonly #connection: RedisConnection;
  readonly #clock: Pick<CaptchaClock, "monotonic">;

  constructor(connection: RedisConnection, clock: Pick<CaptchaClock, "monotonic">) {
    this.#connection = connection;
    this.#clock = clock;
  }

  /** Takes at most the timeout of a command plus `LOOK_UP_MS`. */
  async claim(id: string, ttlMs: number, value: string): ReturnType<ClaimStore["claim"]> {
    const key = `${PREFIX}used:${createHash("sha256").update(id).digest("base64url")}`;
    // Distinguishes our own write from another's with the same value.
    const mark = randomBytes(16).toString("base64url");
    const stood = await this.#write(key, mark + value, Math.max(1, Math.ceil(ttlMs)));
    return stood.startsWith(mark) ? { won: true } : { won: false, value: stood.slice(MARK) };
  }

  /** @returns the stored value */
  async #write(key: string, text: string, ttlMs: number): Promise<string> {
    const { epoch } = this.#connection;
    try {
      const stood = await this.#connection.run((redis) =>
        redis.eval(CLAIM, 2, key, `${PREFIX}epoch`, text, ttlMs, epoch),
      );
      return String(stood);
    } catch (error) {
      const kind = error instanceof Error ? kindOf(error.cause) : "";
      if (kind === "EPOCH") {
        await this.#connection.synchronise();
        throw error;
      }
      // Redis rejected it, so it was certainly not executed.
      if (/^[A-Z]{2,16}$/.test(kind) && !/^E[A-Z]+$/.test(kind)) throw error;
      return await this.#lookUp(key, error);
    }
  }

  /**
   * The stored value decides after a write with unknown outcome; without one the outcome stays unknown, since
   * the write may still arrive. The write is never repeated. The lookup is, since a busy process may read a
   * reply late.
   */
  async #lookUp(key: string, fault: unknown): Promise<string> {
    const end = this.#clock.monotonic() + LOOK_UP_MS;
    let reason = fault;
    for (let left = LOOK_UP_MS; left > 0; left = end - this.#clock.monotonic()) {
      try {
        const answer = this.#connection.run((redis) => redis.get(key));
        const present = await inTime(left, answer, "redis: timed out");
        if (present === null) break;
        return present;
      } catch (error) {
        reason = error;
        await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
      }
    }
    throw reason;
  }

  async close(): Promise<void> {
    this.#connection.close();
  }
}

export function redisKeys(connection: RedisConnection): EncryptedKeys {
  return {
    losses: () => connection.losses,
    all: async () => new Map(Object.entries(await connection.run((redis) => redis.hgetall(KEYS)))),
    put: async (kid, sealed) => void (await connection.run((redis) => redis.hset(KEYS, kid, sealed))),
    remove: async (kid) => void (await connection.run((redis) => redis.hdel(KEYS, kid))),
  };
}
