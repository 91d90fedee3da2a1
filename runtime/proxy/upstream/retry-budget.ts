import { RETRY_BUDGET, type RetryBudgetSettings } from "../../abi/retry-budget.js";

const WINDOW_MS = 10_000;
const MARK_MS = 1_000;

/** A second, or longer, in which retries were asked for. */
interface Mark {
  /** Its beginning. */
  at: number;
  /** Requests until then. */
  requests: number;
  /** Retries that were given in it. */
  retries: number;
}

/**
 * Retries as a share of the requests of the last ten seconds: where most nodes fail, retries would multiply the load of those that
 * are left. A request costs one addition; time is looked at when something is to be tried again.
 */
export class RetryBudget {
  /** Counted by whoever sends them. */
  requests: number;
  readonly #settings: RetryBudgetSettings;
  /** Ascending; the first one is the last of those before the window. */
  readonly #marks: Mark[];

  /** @param previous what this one goes on from, with other settings */
  constructor(now: number, settings: RetryBudgetSettings = RETRY_BUDGET, previous?: RetryBudget) {
    this.#settings = settings;
    this.requests = previous?.requests ?? 0;
    const marks = previous === undefined ? [{ at: now, requests: 0, retries: 0 }] : previous.#marks;
    this.#marks = marks.map((mark) => ({ ...mark }));
  }

  /** Whether there may be one more retry; then it is counted. */
  take(now: number): boolean {
    const marks = this.#marks;
    const first = this.#firstOf(now - WINDOW_MS);
    // Between two marks nothing is known: what came is taken as even.
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

  /** Forgets the marks before the last one that is not after `start`. */
  #firstOf(start: number): Mark {
    const marks = this.#marks;
    while (marks.length > 1 && (marks[1] as Mark).at <= start) marks.shift();
    return marks[0] as Mark;
  }
}
