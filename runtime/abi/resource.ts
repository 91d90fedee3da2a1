import type { Metrics } from "./metrics.js";

/**
 * Description of an object with state, such as a sink, a counter or a pool. A module only describes it, so
 * that loading has no side effects. The host opens it once for each kind and key, for all routes and
 * generations that use it.
 */
export interface SharedResource {
  /** "syslog" or "broker-logger"; a log output has the name of its plugin. */
  readonly kind: string;
  /** Hash of the settings that distinguish resources, such as destination and versions of secrets. */
  readonly key: string;
  /** Id of its destination, and its queue: in memory or on disk. Absent: it delivers nothing. */
  readonly delivers?: { readonly id: string; readonly delivery: "memory" | "durable" };
  /** Destination of its spool; absent: it spools nothing. Secrets are references. */
  readonly spooled?: {
    readonly kind: string;
    readonly id: string;
    readonly settings: Readonly<Record<string, unknown>>;
  };
  /**
   * Opens without waiting for a connection, since the other side may be down.
   * @throws Error with the reason if the settings cannot work
   */
  open(context: ResourceContext): OpenResource;
  /** Receives the open resource, which all descriptions with this key share. */
  use(opened: OpenResource): void;
}

export interface OpenResource {
  /** Delivers what is left within `deadlineMs`, discards the rest and closes. Nothing new arrives. */
  drain(deadlineMs: number): void | Promise<void>;
}

/** Environment of shared resources in a process. */
export interface ResourceContext {
  /**
   * Returns the value of a secret; undefined if it is not known in this process.
   * @param reference text with `${{VAR}}` of the environment, or the name of a plain-text secret, whose value
   * the compiler kept out of the plan
   */
  secret(reference: string): string | undefined;
  /** Logs an event for operators. Fields must not hold a secret. */
  report(event: string, fields: Readonly<Record<string, string | number | undefined>>): void;
  /** Calls `reopen` after a log rotation, until the returned function is called. Absent: no signals. */
  readonly onReopen?: (reopen: () => void) => () => void;
  /** Metrics of this process. */
  readonly metrics: Metrics;
  /** Number of this worker; 0 if the gateway is one process. */
  readonly worker: number;
  /** Directory of the spools; undefined if this process must not spool. */
  readonly spoolDirectory: string | undefined;
  /** Maximum of all spools together; absent: only the limit of each spool applies. */
  readonly spoolMaxBytes?: number | undefined;
  /** Reserve of their disk for records whose responses wait for them; others leave it free. Absent: default. */
  readonly spoolReserveBytes?: number | undefined;
  /** Start in epoch milliseconds. Older records in a spool count as recovered; absent: none do. */
  readonly startedAt?: number | undefined;
}
