/** How many retries an upstream has in a worker (`retry_budget`). */
export interface RetryBudgetSettings {
  /** Of the requests of the last ten seconds. */
  percent: number;
  /** Beside those. */
  minPerSecond: number;
}

/** What an upstream has that says nothing. */
export const RETRY_BUDGET: Readonly<RetryBudgetSettings> = { percent: 20, minPerSecond: 10 };
