import { createHmac } from "node:crypto";
import type { CaptchaClock, ClientAddress, RateEvent, Rates } from "../contract.js";

/** Resolution of the windows, which may be longer by up to this time, never shorter. */
const STEP_MS = 10_000;
const STEPS_PER_MINUTE = 60_000 / STEP_MS;
const STEPS_KEPT = 60 * STEPS_PER_MINUTE;

/** Alternating step and count, oldest first; steps without events take no memory. */
type Steps = number[];

/**
 * Events of the last 1, 10 and 60 minutes. The key with the oldest last event is evicted beyond the limit.
 * Counts are no claims: an eviction makes a visitor cheaper, never a token valid.
 */
export class SlidingCounts {
  /** Order of last event. */
  readonly #keys = new Map<string, Steps>();
  readonly #now: () => number;
  readonly #mostKeys: number;

  /** @param now monotonic time in ms */
  constructor(now: () => number, mostKeys: number) {
    this.#now = now;
    this.#mostKeys = mostKeys;
  }

  get size(): number {
    return this.#keys.size;
  }

  add(key: string): void {
    const step = this.#step();
    const steps = this.#keys.get(key) ?? [];
    this.#keys.delete(key);
    this.#keys.set(key, steps);
    const last = steps.length - 2;
    if (steps[last] === step) steps[last + 1] = (steps[last + 1] ?? 0) + 1;
    else steps.push(step, 1);
    while ((steps[0] ?? step) < step - STEPS_KEPT) steps.splice(0, 2);
    this.#forget(step);
  }

  count(key: string, minutes: 1 | 10 | 60): number {
    const steps = this.#keys.get(key);
    if (steps === undefined) return 0;
    const first = this.#step() - minutes * STEPS_PER_MINUTE;
    let sum = 0;
    for (let i = steps.length - 2; i >= 0 && (steps[i] ?? 0) >= first; i -= 2) sum += steps[i + 1] ?? 0;
    return sum;
  }

  #forget(now: number): void {
    for (const [key, steps] of this.#keys) {
      const idle = (steps.at(-2) ?? 0) < now - STEPS_KEPT;
      if (!idle && this.#keys.size <= this.#mostKeys) return;
      this.#keys.delete(key);
    }
  }

  #step(): number {
    return Math.floor(this.#now() / STEP_MS);
  }
}

/** About 25 MB; each client prefix takes two keys for each kind of event. */
const MAX_KEYS = 100_000;
const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/**
 * Recent events (captcha reference section 3.3 H), per prefix and site key, and per prefix at all site keys
 * together (site key ""). Prefixes are stored for an hour as HMACs with a daily key: nobody can look back.
 */
export class PrefixRates implements Rates {
  readonly #clock: CaptchaClock;
  readonly #secret: () => Buffer;
  readonly #counts: SlidingCounts;
  /** The last network: one request looks it up a dozen times, and a hash takes 10 µs. */
  #last: { secret: Buffer; prefix: string; day: number; hash: string } | undefined = undefined;

  /** @param secret "address", 32 bytes; read at each use, because the configuration can change it */
  constructor(clock: CaptchaClock, secret: () => Buffer, mostKeys = MAX_KEYS) {
    this.#clock = clock;
    this.#secret = secret;
    this.#counts = new SlidingCounts(() => clock.monotonic(), mostKeys);
  }

  get size(): number {
    return this.#counts.size;
  }

  add(what: RateEvent, client: ClientAddress, siteKey: string): void {
    const prefix = this.#hash(client, this.#clock.now());
    this.#counts.add(`${what} ${prefix}`);
    if (siteKey !== "") this.#counts.add(`${what} ${prefix} ${siteKey}`);
  }

  count(what: RateEvent, client: ClientAddress, siteKey: string, minutes: 1 | 10 | 60): number {
    const now = this.#clock.now();
    const suffix = siteKey === "" ? "" : ` ${siteKey}`;
    const of = (time: number) => this.#counts.count(`${what} ${this.#hash(client, time)}${suffix}`, minutes);
    // After midnight part of the last hour is under yesterday's name; otherwise each network would start at zero.
    return now % DAY_MS < HOUR_MS ? of(now) + of(now - DAY_MS) : of(now);
  }

  #hash(client: ClientAddress, now: number): string {
    const secret = this.#secret();
    const day = Math.floor(now / DAY_MS);
    const last = this.#last;
    if (last !== undefined && last.prefix === client.prefix && last.day === day && last.secret === secret)
      return last.hash;
    const hash = addressHash(secret, client, now);
    this.#last = { secret, prefix: client.prefix, day, hash };
    return hash;
  }
}

/** Pseudonym in rates, prices and audit records: 128 bits of an HMAC with a key of one day (UTC). */
export function addressHash(secret: Buffer, { prefix }: ClientAddress, now: number): string {
  const day = new Date(now).toISOString().slice(0, 10);
  const daily = createHmac("sha256", secret).update(`address ${day}`).digest();
  const mac = createHmac("sha256", daily).update(prefix, "latin1").digest();
  // A slice of the text would keep all of it in memory.
  return mac.subarray(0, 16).toString("base64url");
}
