import { ENVIRONMENT } from "./launch-plan.js";
import { tellLauncher } from "./launcher-link.js";
import { log } from "./log.js";

/** Time in ms for sending the response to a write. */
const ANSWER_MS = 200;
/** Minimum time in ms that a process serves after a failed store: a client may repeat its write each second. */
const SPACING_MS = 30_000;
/** The same in multiples of the start, during which the admin API replies 503: 20,000 routes take a minute. */
const STARTS = 10;

export interface StoreRestartParts {
  reason: string;
  /** Set if this process follows one with a failed store. */
  isRepeated: boolean;
  /** Makes the launcher remember the failure for the next process. */
  tell: () => void;
  end: () => void;
}

/** Restarts a process whose memory LMDB may have damaged in a failed write; rarely while the disk keeps failing. */
export class StoreRestart {
  readonly #parts: StoreRestartParts;
  /** `performance.now()`, which counts from the start of the process; undefined while it starts. */
  #readyAt: number | undefined;
  #isTold = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: StoreRestartParts) {
    this.#parts = parts;
  }

  /** Marks the process as serving: a store that fails at a start would fail at the next one too. */
  ready(): void {
    this.#readyAt ??= performance.now();
  }

  /** @param isAsked a client waits for the write; other writes cause no restart */
  failed(isAsked: boolean): void {
    const { reason, tell, end } = this.#parts;
    if (!this.#isTold) tell();
    this.#isTold = true;
    if (!isAsked || this.#timer !== undefined || this.#readyAt === undefined) return;
    const delay = this.#delay(this.#readyAt);
    log("store_failed", { reason, ...(delay > 0 && { restart_in_ms: Math.round(delay) }) });
    this.#timer = setTimeout(end, delay + ANSWER_MS);
  }

  #delay(readyAt: number): number {
    if (!this.#parts.isRepeated) return 0;
    return Math.max(0, readyAt + Math.max(SPACING_MS, STARTS * readyAt) - performance.now());
  }
}

/** Returns the restart of a launcher's child. @param reason sentence for the log */
export function storeRestart(reason: string): StoreRestart {
  return new StoreRestart({
    reason,
    isRepeated: process.env[ENVIRONMENT.storeFailed] !== undefined,
    tell: () => tellLauncher({ type: "store_failed" }),
    // Not a regular exit, in which LMDB and Node would clean up memory that may be damaged.
    end: () => process.kill(process.pid, "SIGKILL"),
  });
}
