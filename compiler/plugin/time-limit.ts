import { Script } from "node:vm";
import type { Diagnostic, Span } from "../diagnostics/diagnostic.js";
import { diagnostic } from "../diagnostics/report.js";

/** Most of a plan takes less than a millisecond, and the patterns of one resource at most three seconds. */
export const MAX_MS = 10_000;
/** For all calls of a plugin that were ended within a minute: after two loops the others have little. */
const BUDGET_MS = 20_000;
const WINDOW_MS = 60_000;
const MIN_MS = 100;

/** A call did not end in its time, and was ended. */
export class TimeExceededError extends Error {
  /** The limit. */
  readonly seconds: number;
  /** What was left for it of the budget, in tenths of a second, where that is less. */
  readonly left: number | undefined;

  constructor(limit: number, given = limit) {
    super(`it did not end within ${limit / 1000} s`);
    this.seconds = limit / 1000;
    const left = Math.round(given / 100) / 10;
    this.left = left < this.seconds ? left : undefined;
  }

  /** What is found where the settings stand that the call was for. */
  finding(names: { plugin: string; package: string; step: string }, span: Span): Diagnostic {
    const message = `calls of it were ended within this minute, so this one had ${this.left} s`;
    const notes = this.left === undefined ? [] : [{ message }];
    return diagnostic("GW7012", span, { ...names, seconds: this.seconds }, { notes });
  }
}

/** The time limit of a script ends whatever the script calls, wherever that code stands; it finds what to call here. */
const CALL = Symbol.for("gwc.limited");
const scope = globalThis as { [CALL]?: (() => void) | undefined };
const script = new Script('globalThis[Symbol.for("gwc.limited")]()');

/**
 * Ends calls of one package's code that loop, in any thread; the process and everything else go on. A call takes 70 µs more
 * (measured). What a call leaves behind for later, promises and timers, has no limit.
 */
export class TimeLimit {
  readonly #longest: number;
  readonly #now: () => number;
  #ended: { at: number; took: number }[] = [];

  /** @param now monotonic clock in ms, by which ended calls use up the budget */
  constructor(longest = MAX_MS, now = () => performance.now()) {
    this.#longest = longest;
    this.#now = now;
  }

  /** @throws TimeExceededError, and what `call` throws */
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

  /** Milliseconds for the next call. */
  #left(): number {
    const now = this.#now();
    this.#ended = this.#ended.filter(({ at }) => now - at < WINDOW_MS);
    const spent = this.#ended.reduce((sum, { took }) => sum + took, 0);
    const budget = (BUDGET_MS / MAX_MS) * this.#longest;
    return Math.round(Math.max(MIN_MS, Math.min(this.#longest, budget - spent)));
  }
}
