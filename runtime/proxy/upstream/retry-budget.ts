import { RETRY_BUDGET, type RetryBudgetSettings } from "../../abi/passive-checks.js";

const WINDOW_MS = 10_000;
const MARK_MS = 1_000;

/** Interval of at least a second in which a retry was requested. */
interface Mark {
  /** Start of the interval. */
  at: number;
  /** Number of requests at the start. */
  requests: number;
  /** Retries that were allowed in it. */
  retries: number;
}

/**
 * Limits retries to a share of the requests of the last ten seconds: if most nodes fail, retries would
 * multiply the load of the others. A request costs one addition; the clock is read only for a retry.
 */
export class RetryBudget {
  /** Number of requests, counted by the caller. */
  requests: number;
  readonly #settings: RetryBudgetSettings;
  /** In ascending order; the first is the last one before the window. */
  readonly #marks: Mark[];

  /** @param previous budget whose counts this one continues, with other settings */
  constructor(now: number, settings: RetryBudgetSettings = RETRY_BUDGET, previous?: RetryBudget) {
    this.#settings = settings;
    this.requests = previous?.requests ?? 0;
    const marks = previous === undefined ? [{ at: now, requests: 0, retries: 0 }] : previous.#marks;
    this.#marks = marks.map((mark) => ({ ...mark }));
  }

  /** Reports whether one more retry is allowed, and counts it. */
  take(now: number): boolean {
    const marks = this.#marks;
    const first = this.#firstOf(now - WINDOW_MS);
    // Interpolates between two marks, as if requests were evenly distributed.
    const part = Math.min(1, WINDOW_MS / Math.max(1, now - first.at));
    const requests = (this.requests - first.requests) * part;
    const retries = marks.reduce((sum, mark) => sum + (mark.at > now - WINDOW_MS ? mark.retries : 0), 0);
    let mark = marks.at(-1) as Mark;
    if (now - mark.at >= MARK_MS) marks.push((mark = { at: now, requests: this.requests, retries: 0 }));
    const { percent, minPerSecond } = this.#settings;
    const allowed = (requests * percent) / 100 + (minPerSecond * WINDOW_MS) / 1_000;
    if (retries + 1 > allowed) return false;
    mark.retries++;
    return true;
  }

  /** Removes the marks before the last one that is not after `start`. */
  #firstOf(start: number): Mark {
    const marks = this.#marks;
    while (marks.length > 1 && (marks[1] as Mark).at <= start) marks.shift();
    return marks[0] as Mark;
  }
}
