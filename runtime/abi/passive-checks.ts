/** Failures in a row that eject a node; 0: never. */
export interface FailureThresholds {
  /** Connections refused or reset before a response. */
  tcpFailures: number;
  timeouts: number;
  /** Responses with one of `httpStatuses`. */
  httpFailures: number;
}

export const FAILURE_NAMES: Readonly<Record<keyof FailureThresholds, string>> = {
  tcpFailures: "tcp_failures",
  timeouts: "timeouts",
  httpFailures: "http_failures",
};

/** Settings of `checks.passive` of an upstream. */
export interface PassiveChecks extends FailureThresholds {
  httpStatuses: number[];
  /** Successful probes in a row that return a node. */
  successes: number;
  /** First ejection in seconds; doubled each further time, up to `maxEjectionTime`. */
  ejectionTime: number;
  maxEjectionTime: number;
  /** Share of the nodes that take requests; of two at least one may be out, and never the last. */
  maxEjectedPercent: number;
  /** Seconds in which a returned node reaches its full share; 0: at once. */
  slowStart: number;
}

/** Defaults of an upstream (docs/decisions/0015). */
export const PASSIVE_CHECKS: Readonly<PassiveChecks> = {
  tcpFailures: 5,
  timeouts: 3,
  httpFailures: 0,
  httpStatuses: [500, 502, 503, 504],
  successes: 1,
  ejectionTime: 10,
  maxEjectionTime: 300,
  maxEjectedPercent: 50,
  slowStart: 10,
};

/** Setting `retry_budget` of an upstream, for a worker. */
export interface RetryBudgetSettings {
  /** Share of the requests of the last ten seconds. */
  percent: number;
  /** Retries in addition to that share. */
  minPerSecond: number;
}

export const RETRY_BUDGET: Readonly<RetryBudgetSettings> = { percent: 20, minPerSecond: 10 };
