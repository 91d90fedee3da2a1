import { tellLauncher } from "./inherited.js";
import { ENVIRONMENT } from "./launch-plan.js";
import { log } from "./log.js";

/** Time in ms in which the answer to a write is sent. */
const ANSWER_MS = 200;
/** Least time in ms that a process serves which follows one with a failed store: a client may repeat its write each second. */
const SPACING_MS = 30_000;
/** The same in multiples of the start, in which the admin API answers 503: 20,000 routes take a minute. */
const STARTS = 10;

export interface StoreRestartParts {
  /** Sentence for the log. */
  reason: string;
  /** This process follows one whose store has failed. */
  isRepeated: boolean;
  /** Has the launcher remember it for the next process. */
  tell: () => void;
  /** Ends this process; the launcher starts another. */
  end: () => void;
}

/** Has a process start again whose memory LMDB may have damaged in a write that the disk failed; seldom while the disk goes on failing. */
export class StoreRestart {
  readonly #parts: StoreRestartParts;
  /** `performance.now()`, which counts from the start of the process; undefined while it starts. */
  #readyAt: number | undefined;
  #isTold = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(parts: StoreRestartParts) {
    this.#parts = parts;
  }

  /** The process serves: a store that fails at a start would fail at the next one too. */
  ready(): void {
    this.#readyAt ??= performance.now();
  }

  /**
   * Takes note of a write that failed, or was refused since.
   * @param isAsked somebody waits for the write: the process starts again for no other
   */
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

/** That of a child of the launcher. @param reason sentence for the log */
export function storeRestart(reason: string): StoreRestart {
  return new StoreRestart({
    reason,
    isRepeated: process.env[ENVIRONMENT.storeFailed] !== undefined,
    tell: () => tellLauncher({ type: "store_failed" }),
    // LMDB and Node tidy up in memory that may be damaged where they end by themselves.
    end: () => process.kill(process.pid, "SIGKILL"),
  });
}
