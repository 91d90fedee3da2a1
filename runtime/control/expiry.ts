import { messageOf } from "../abi/error-message.js";
import { log } from "../process/log.js";
import { NOT_COMPILED } from "./change.js";
import type { Configuration } from "./configuration.js";

const LOOK_MS = 500;
/** First and maximum delay in ms between attempts while the store rejects writes, maybe for hours. */
const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;
/** Number of failed attempts in a row after which the delay is at its maximum. */
const MANY = Math.ceil(Math.log2(MAX_DELAY_MS / FIRST_DELAY_MS)) + 1;

/** Removes resources written with `?ttl=` when they expire. One that others refer to stays and is retried. */
export class Expiry {
  #timer: NodeJS.Timeout | undefined;
  #stopped = false;
  #failures = 0;
  /** Outcome of the last attempt by resource, logged once instead of twice a second. */
  #outcomes = new Map<string, string>();
  readonly #configuration: Configuration;

  constructor(configuration: Configuration) {
    this.#configuration = configuration;
  }

  /** @param isFailing true if the disk has just rejected a write */
  start(isFailing = false): void {
    if (isFailing) this.#failures = MANY;
    this.#wait();
  }

  stop(): void {
    this.#stopped = true;
    clearTimeout(this.#timer);
  }

  #wait(): void {
    if (this.#stopped) return;
    const delay = Math.min(FIRST_DELAY_MS * 2 ** (this.#failures - 1), MAX_DELAY_MS);
    this.#timer = setTimeout(() => void this.#poll(), this.#failures === 0 ? LOOK_MS : delay).unref();
  }

  async #poll(): Promise<void> {
    let isTaken = true;
    try {
      isTaken = await this.#removeDue();
    } catch (error) {
      log("expiry_failed", { reason: messageOf(error) });
    }
    this.#failures = isTaken ? 0 : this.#failures + 1;
    this.#wait();
  }

  /** @returns false if the store rejects writes now */
  async #removeDue(): Promise<boolean> {
    const now = Date.now() / 1000;
    const over = this.#configuration.resources
      .allStored()
      .filter(({ expires }) => (expires ?? now + 1) <= now);
    const outcomes = new Map<string, string>();
    let isTaken = true;
    for (const { kind, id } of over) {
      const outcome = await this.#configuration.change<string>(
        ({ resources }) => {
          const expires = resources.get(kind, id)?.expires;
          const due = expires !== undefined && expires <= Date.now() / 1000;
          return due ? { remove: { kind, id, force: false } } : { answer: "" };
        },
        (written) => {
          if (written.ok) return "removed";
          isTaken = written.status !== 503 || written === NOT_COMPILED;
          return written.errorMessage;
        },
        { key: null, address: null, note: null, method: "EXPIRE" },
      );
      outcomes.set(`${kind}/${id}`, outcome);
      if (outcome !== "" && outcome !== this.#outcomes.get(`${kind}/${id}`))
        log("expired", { kind, id, outcome });
      if (!isTaken) break;
    }
    this.#outcomes = outcomes;
    return isTaken;
  }
}
