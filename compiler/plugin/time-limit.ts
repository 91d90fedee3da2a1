import { Script } from "node:vm";
import { diagnostic } from "../diagnostics/report.js";
import type { Diagnostic, Span } from "../model/diagnostic.js";

/** Default of one call. Most plans take less than a millisecond, patterns of one resource at most three seconds. */
export const MAX_MS = 10_000;
/** For timed out calls of a plugin within `WINDOW_MS`: after two endless loops, further calls have little. */
const BUDGET_MS = 20_000;
const WINDOW_MS = 60_000;
const MIN_MS = 100;

/** Thrown after a call was terminated. */
export class TimeExceededError extends Error {
  /** Limit of one call. */
  readonly seconds: number;
  /** Seconds that the budget left, rounded to tenths; undefined unless below the limit. */
  readonly left: number | undefined;

  constructor(limit: number, given = limit) {
    super(`it did not end within ${limit / 1000} s`);
    this.seconds = limit / 1000;
    const left = Math.round(given / 100) / 10;
    this.left = left < this.seconds ? left : undefined;
  }

  diagnostic(names: { plugin: string; package: string; step: string }, span: Span): Diagnostic {
    const message = `calls of it were ended within this minute, so this one had ${this.left} s`;
    const notes = this.left === undefined ? [] : [{ message }];
    return diagnostic("GW7012", span, { ...names, seconds: this.seconds }, { notes });
  }
}

/** The script takes its function from this global property: its timeout also terminates code outside of it. */
const CALL = Symbol.for("gwc.limited");
const scope = globalThis as { [CALL]?: (() => void) | undefined };
const script = new Script('globalThis[Symbol.for("gwc.limited")]()');

/**
 * Limits calls of one package's code, in any thread: it terminates a call that loops, and the process
 * continues. It adds 70 µs to a call (measured). Promises and timers that a call leaves behind have no limit.
 */
export class TimeLimit {
  readonly #longest: number;
  readonly #now: () => number;
  #ended: { at: number; took: number }[] = [];

  /** @param longest limit of one call in ms @param now monotonic clock in ms, which measures the use of the budget */
  constructor(longest = MAX_MS, now = () => performance.now()) {
    this.#longest = longest;
    this.#now = now;
  }

  /** @throws TimeExceededError if the call exceeds its limit, and every error of `call` */
  run<T>(call: () => T): T {
    const timeout = this.#left();
    const began = this.#now();
    const outer = scope[CALL];
    let result: T | undefined;
    scope[CALL] = () => {
      result = call();
    };
    try {
      script.runInThisContext({ timeout, displayErrors: false });
      return result as T;
    } catch (error) {
      if ((error as NodeJS.ErrnoException | null)?.code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
      const at = this.#now();
      this.#ended.push({ at, took: at - began });
      throw new TimeExceededError(this.#longest, timeout);
    } finally {
      scope[CALL] = outer;
    }
  }

  #left(): number {
    const now = this.#now();
    this.#ended = this.#ended.filter(({ at }) => now - at < WINDOW_MS);
    const spent = this.#ended.reduce((sum, { took }) => sum + took, 0);
    const budget = (BUDGET_MS / MAX_MS) * this.#longest;
    return Math.round(Math.max(MIN_MS, Math.min(this.#longest, budget - spent)));
  }
}
