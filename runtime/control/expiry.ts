import { messageOf } from "../abi/error-message.js";
import { log } from "../process/log.js";
import type { Configuration } from "./configuration.js";

const LOOK_MS = 500;

/** Removes resources written with `?ttl=` when their time is over. One that others still name stays and is tried again. */
export class Expiry {
  #timer: NodeJS.Timeout | undefined;
  #busy = false;
  /** What became of the last try, by resource: said once, not twice a second. */
  #outcomes = new Map<string, string>();
  readonly #configuration: Configuration;

  constructor(configuration: Configuration) {
    this.#configuration = configuration;
  }

  start(): void {
    this.#timer = setInterval(() => void this.#look(), LOOK_MS);
    this.#timer.unref();
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  async #look(): Promise<void> {
    if (this.#busy) return;
    this.#busy = true;
    try {
      await this.#removeDue();
    } catch (error) {
      log("expiry_failed", { reason: messageOf(error) });
    } finally {
      this.#busy = false;
    }
  }

  async #removeDue(): Promise<void> {
    const now = Date.now() / 1000;
    const over = this.#configuration.resources
      .allStored()
      .filter(({ expires }) => (expires ?? now + 1) <= now);
    const outcomes = new Map<string, string>();
    for (const { kind, id } of over) {
      const outcome = await this.#configuration.change<string>(
        ({ resources }) => {
          const expires = resources.get(kind, id)?.expires;
          const due = expires !== undefined && expires <= Date.now() / 1000;
          return due ? { remove: { kind, id, force: false } } : { answer: "" };
        },
        (written) => (written.ok ? "removed" : written.errorMessage),
        { key: null, address: null, note: null, method: "EXPIRE" },
      );
      outcomes.set(`${kind}/${id}`, outcome);
      if (outcome !== "" && outcome !== this.#outcomes.get(`${kind}/${id}`))
        log("expired", { kind, id, outcome });
    }
    this.#outcomes = outcomes;
  }
}
