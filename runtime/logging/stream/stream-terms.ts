interface CounterTerms {
  readonly metric: string;
  readonly help: string;
}

/** Names of a stream in errors, log lines and metrics: operators look for the words of their plugin. */
export interface StreamTerms {
  /** "syslog server". */
  readonly server: string;
  /** "syslog": in front of "connection failed" and "message truncated". */
  readonly name: string;
  /** Counts connections that failed after a batch; absent: no counter. */
  readonly failed?: CounterTerms;
  /** Counts messages cut at the length of a datagram. Absent: they are never sent, because a part is useless. */
  readonly truncated?: CounterTerms;
}
