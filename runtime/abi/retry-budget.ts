/** Retry budget of an upstream in a worker (`retry_budget`). */
export interface RetryBudgetSettings {
  /** Share of the requests of the last ten seconds. */
  percent: number;
  /** Retries in addition to that share. */
  minPerSecond: number;
}

/** Default of an upstream. */
export const RETRY_BUDGET: Readonly<RetryBudgetSettings> = { percent: 20, minPerSecond: 10 };
