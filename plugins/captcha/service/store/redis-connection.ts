import { randomBytes } from "node:crypto";
import { Redis } from "ioredis";
import { StorageError } from "../contract.js";

/** Prefix whose braces keep all keys in one slot of a cluster, as the scripts need it. */
export const PREFIX = "{spc}:";
const EPOCH = `${PREFIX}epoch`;
const SERVER = `${PREFIX}server`;
export const KEYS = `${PREFIX}keys`;

/** Timeout of the lookup of a claim whose write got no reply. */
export const LOOK_UP_MS = 1_000;
/** Minimum timeout of a silent connection with pending commands; also for connecting. */
const SILENCE_MS = 2_000;
const MAX_PAUSE_MS = 1_000;
/** Interval of checks of the memory policy, which an operator may change while Redis runs. */
const LOOK_MS = 30_000;

/**
 * Keeps claims and signing keys consistent by an epoch in the store. A client that finds no epoch begins a
 * new one and drops the signing keys. It also does so if another Redis process serves that did not restore
 * its data from an append-only file. So no used token can be used again after claims were lost.
 */
const SYNCHRONISE = `
local epoch = redis.call('get', KEYS[1])
local server = redis.call('get', KEYS[2])
redis.call('set', KEYS[2], ARGV[2])
if epoch and (server == ARGV[2] or ARGV[3] == '1') then return epoch end
redis.call('del', KEYS[3])
redis.call('set', KEYS[1], ARGV[1])
return ARGV[1]`;

export type RedisReport = (event: string, fields: Readonly<Record<string, string>>) => void;

/** No offline queue and no repetition of commands that may have been executed. */
export class RedisConnection {
  readonly #redis: Redis;
  readonly #report: RedisReport;
  #epoch: string | undefined;
  #losses = 0;
  #usable = false;
  #synchronising: Promise<void> | undefined;
  #closed = false;
  readonly #pollTimer: NodeJS.Timeout;

  /** @param url may contain a password: it is never repeated @param timeoutMs for each command */
  constructor(url: string, timeoutMs: number, report: RedisReport) {
    this.#report = report;
    // Longer than a command and its lookup: a late reply still tells who holds the claim. After that,
    // requests fail at once, so that no request waits for a silent Redis longer than one claim takes.
    const silenceMs = Math.max(SILENCE_MS, timeoutMs + LOOK_UP_MS);
    this.#redis = new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      commandTimeout: timeoutMs,
      socketTimeout: silenceMs,
      connectTimeout: silenceMs,
      // After a failover the old server rejects writes: another connection may reach the new one. No command
      // is repeated.
      reconnectOnError: (error) => error.message.startsWith("READONLY"),
      retryStrategy: (times) => Math.min(50 * times, MAX_PAUSE_MS),
    });
    // Pending commands fail; the reconnection continues by itself.
    this.#redis.on("error", () => {});
    this.#redis.on("close", () => this.#onClose());
    this.#redis.on("ready", () => void this.synchronise().catch(() => {}));
    this.#pollTimer = setInterval(() => {
      if (this.#redis.status === "ready") this.synchronise().catch(() => {});
    }, LOOK_MS).unref();
  }

  get losses(): number {
    return this.#losses;
  }

  get usable(): boolean {
    return this.#usable;
  }

  /** @throws StorageError while no store is usable */
  get epoch(): string {
    if (!this.#usable || this.#epoch === undefined) throw new StorageError("redis is not connected");
    return this.#epoch;
  }

  /** Resolves when the store is usable, or after `patienceMs` without one. */
  async open(patienceMs: number): Promise<void> {
    this.#redis.connect().catch(() => {});
    const end = performance.now() + patienceMs;
    while (!this.#usable && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  /** @throws StorageError, after which the command's effect is unknown */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    if (!this.#usable) throw new StorageError("redis is not connected");
    try {
      return await command(this.#redis);
    } catch (error) {
      throw new StorageError(`redis: ${kindOf(error)}`, { cause: error });
    }
  }

  /** One call at a time. @throws StorageError */
  synchronise(): Promise<void> {
    this.#synchronising ??= this.#synchronise().finally(() => {
      this.#synchronising = undefined;
    });
    return this.#synchronising;
  }

  async #synchronise(): Promise<void> {
    try {
      const info = await this.#redis.info();
      const field = (name: string) => new RegExp(`^${name}:(.*?)\\r?$`, "m").exec(info)?.[1] ?? "";
      if (Number(field("maxmemory")) > 0 && field("maxmemory_policy") !== "noeviction") {
        // A claim that was evicted would let its token be used again (W1).
        this.#usable = false;
        this.#report("captcha_store_unsafe", { policy: field("maxmemory_policy") });
        return;
      }
      const fresh = randomBytes(16).toString("base64url");
      const kept = field("aof_enabled") === "1" ? "1" : "0";
      const keys = [EPOCH, SERVER, KEYS] as const;
      const epoch = await this.#redis.eval(SYNCHRONISE, 3, ...keys, fresh, field("run_id"), kept);
      if (this.#epoch !== undefined && this.#epoch !== epoch) {
        this.#losses++;
        this.#report("captcha_store_emptied", {});
      }
      this.#epoch = String(epoch);
      if (!this.#closed) this.#usable = this.#redis.status === "ready";
    } catch (error) {
      this.#usable = false;
      this.#report("captcha_store_unavailable", { reason: kindOf(error) });
      // The next connection tries again.
      this.#redis.disconnect(!this.#closed);
      throw new StorageError(`redis: ${kindOf(error)}`);
    }
  }

  #onClose(): void {
    if (this.#usable) this.#report("captcha_store_unavailable", { reason: "connection closed" });
    this.#usable = false;
  }

  close(): void {
    clearInterval(this.#pollTimer);
    this.#closed = true;
    this.#usable = false;
    this.#redis.disconnect();
  }
}

/** An error's text may repeat arguments. */
export function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined) return code;
  // "OOM command not allowed", "NOAUTH Authentication required"
  return (
    /^[A-Z]{2,16}\b/.exec(error.message)?.[0] ?? (/timed out/i.test(error.message) ? "timed out" : "failed")
  );
}
