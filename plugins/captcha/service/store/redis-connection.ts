import { randomBytes } from "node:crypto";
import { Redis } from "ioredis";
import { StorageError } from "../contract.js";

/** Every key of this installation; the braces keep them in one slot of a cluster, as the scripts need it. */
export const PREFIX = "{spc}:";
const EPOCH = `${PREFIX}epoch`;
const SERVER = `${PREFIX}server`;
export const KEYS = `${PREFIX}keys`;

/** Time for the look-up of a claim whose write was not answered, in ms. */
export const LOOK_UP_MS = 1_000;
/** Least time after which a connection that is silent while something is asked is closed, in ms; also for connecting. */
const SILENCE_MS = 2_000;
const MAX_PAUSE_MS = 1_000;
/** Between two looks at what an operator may change while Redis runs: its memory policy. */
const LOOK_MS = 30_000;

/**
 * Makes sure that claims and signing keys belong together: an epoch stands in the store, and whoever finds none, or another server
 * process that did not bring its data back from an append-only file, begins a new one and drops the signing keys. So nothing that
 * was used can be used again after claims were lost.
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

/** One connection, without a queue for times in which there is none, and without repeating what may have been done. */
export class RedisConnection {
  readonly #redis: Redis;
  readonly #report: RedisReport;
  #epoch: string | undefined;
  #losses = 0;
  #usable = false;
  #synchronising: Promise<void> | undefined;
  #closed = false;
  readonly #look: NodeJS.Timeout;

  /**
   * @param url may hold a password: it is never repeated
   * @param timeoutMs for each command
   */
  constructor(url: string, timeoutMs: number, report: RedisReport) {
    this.#report = report;
    // Later than a command and a look-up behind it: an answer that comes meanwhile still tells who holds the claim. From then on
    // requests fail at once, so that no request waits longer for a silent Redis than for one claim.
    const silenceMs = Math.max(SILENCE_MS, timeoutMs + LOOK_UP_MS);
    this.#redis = new Redis(url, {
      lazyConnect: true,
      enableOfflineQueue: false,
      maxRetriesPerRequest: 0,
      autoResendUnfulfilledCommands: false,
      commandTimeout: timeoutMs,
      socketTimeout: silenceMs,
      connectTimeout: silenceMs,
      // After a failover the old server refuses to write: another connection may reach the new one. Nothing is sent again.
      reconnectOnError: (error) => error.message.startsWith("READONLY"),
      retryStrategy: (times) => Math.min(50 * times, MAX_PAUSE_MS),
    });
    // Whoever asks meanwhile is told; the reconnection goes on by itself.
    this.#redis.on("error", () => {});
    this.#redis.on("close", () => this.#gone());
    this.#redis.on("ready", () => void this.synchronise().catch(() => {}));
    this.#look = setInterval(() => {
      if (this.#redis.status === "ready") this.synchronise().catch(() => {});
    }, LOOK_MS).unref();
  }

  /** Counted up whenever another epoch was found. */
  get losses(): number {
    return this.#losses;
  }

  get usable(): boolean {
    return this.#usable;
  }

  /** The epoch that claims must be made in. @throws StorageError while there is no store that can be used */
  get epoch(): string {
    if (!this.#usable || this.#epoch === undefined) throw new StorageError("redis is not connected");
    return this.#epoch;
  }

  /** Starts to connect; resolves when it can be used, or after `patienceMs` without. */
  async open(patienceMs: number): Promise<void> {
    this.#redis.connect().catch(() => {});
    const end = performance.now() + patienceMs;
    while (!this.#usable && performance.now() < end) await new Promise((resolve) => setTimeout(resolve, 10));
  }

  /** Runs one command. @throws StorageError; then nothing is known about what it did */
  async run<T>(command: (redis: Redis) => Promise<T>): Promise<T> {
    if (!this.#usable) throw new StorageError("redis is not connected");
    try {
      return await command(this.#redis);
    } catch (error) {
      throw new StorageError(`redis: ${kindOf(error)}`, { cause: error });
    }
  }

  /** Finds the epoch. One at a time. @throws StorageError */
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
      // Another try comes with the next connection.
      this.#redis.disconnect(!this.#closed);
      throw new StorageError(`redis: ${kindOf(error)}`);
    }
  }

  #gone(): void {
    if (this.#usable) this.#report("captcha_store_unavailable", { reason: "connection closed" });
    this.#usable = false;
  }

  close(): void {
    clearInterval(this.#look);
    this.#closed = true;
    this.#usable = false;
    this.#redis.disconnect();
  }
}

/** Kind of an error without its text, which may repeat what was sent. */
export function kindOf(error: unknown): string {
  if (!(error instanceof Error)) return "failed";
  const { code } = error as NodeJS.ErrnoException;
  if (code !== undefined) return code;
  // Redis begins its errors with their kind: "OOM command not allowed", "NOAUTH Authentication required".
  return (
    /^[A-Z]{2,16}\b/.exec(error.message)?.[0] ?? (/timed out/i.test(error.message) ? "timed out" : "failed")
  );
}
