/** A counter and what it counts. */
export interface CounterTerms {
  readonly metric: string;
  readonly help: string;
}

/** What a stream of messages is called in errors, log lines and metrics: operators look for the words of their plugin. */
export interface StreamTerms {
  /** "syslog server". */
  readonly server: string;
  /** "syslog": before "connection failed" and "message truncated". */
  readonly name: string;
  /** Counts connections that failed after a batch; absent for what has none. */
  readonly failed?: CounterTerms;
  /** Counts messages longer than a datagram, which are cut at their end; absent: they are never sent, since a part says nothing. */
  readonly truncated?: CounterTerms;
}
