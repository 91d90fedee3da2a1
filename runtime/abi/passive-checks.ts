/** Failures in a row after which a node is out; 0: such failures never put it out. */
export interface FailureThresholds {
  /** Connections refused or reset before a response. */
  tcpFailures: number;
  timeouts: number;
  /** Answers with one of `httpStatuses`. */
  httpFailures: number;
}

/** Kinds of failures as settings, metrics and the log call them. */
export const FAILURE_NAMES: Readonly<Record<keyof FailureThresholds, string>> = {
  tcpFailures: "tcp_failures",
  timeouts: "timeouts",
  httpFailures: "http_failures",
};

/** What answers and failures of requests make of a node (`checks.passive` of an upstream). */
export interface PassiveChecks extends FailureThresholds {
  httpStatuses: number[];
  /** Trials in a row that must be answered before a node that was out is back. */
  successes: number;
  /** Seconds that a node is out the first time; doubled each further time, up to `maxEjectionTime`. */
  ejectionTime: number;
  maxEjectionTime: number;
  /** Of the nodes that take requests; at least one may be out where there are two, and never the last. */
  maxEjectedPercent: number;
  /** Seconds in which a node that is back comes to its full share; 0: at once. */
  slowStart: number;
}

/** What an upstream has that says nothing (docs/decisions/0015). */
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
