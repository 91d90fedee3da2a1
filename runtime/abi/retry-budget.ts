/** Setting `retry_budget` of an upstream, for a worker. */
export interface RetryBudgetSettings {
  /** Share of the requests of the last ten seconds. */
  percent: number;
  /** Retries in addition to that share. */
  minPerSecond: number;
}

export const RETRY_BUDGET: Readonly<RetryBudgetSettings> = { percent: 20, minPerSecond: 10 };
