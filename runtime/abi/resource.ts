import type { Metrics } from "./metrics.js";

/**
 * Description of a shared resource: an object with state, such as a sink, a counter or a pool. A module only
 * describes it, so that loading a module has no side effects. The host opens it once for each kind and key,
 * for all routes and generations that use it.
 */
export interface SharedResource {
  /** Kind, such as "syslog" or "broker-logger"; a log output has the name of its plugin. */
  readonly kind: string;
  /**
   * Hash of exactly the settings that tell one resource from another, such as its destination and the
   * versions of its secrets.
   */
  readonly key: string;
  /**
   * Id of its destination, and its queue: in memory or on disk. Absent: it delivers nothing. Secrets are
   * references.
   */
  readonly delivers?: { readonly id: string; readonly delivery: "memory" | "durable" };
  /** Destination of its spool; absent: it spools nothing. Secrets are references. */
  readonly spooled?: {
    readonly kind: string;
    readonly id: string;
    readonly settings: Readonly<Record<string, unknown>>;
  };
  /**
   * Opens the resource. It does not wait for a connection, since the other side may be down.
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
   * Returns the value of a secret.
   * @param reference text with `${{VAR}}` of the environment, or the name of a plain-text secret, whose value
   * the compiler kept out of the plan
   * @returns undefined if it is not known in this process
   */
  secret(reference: string): string | undefined;
  /** Logs an event for operators, with its fields. Fields must not hold a secret. */
  report(event: string, fields: Readonly<Record<string, string | number | undefined>>): void;
  /**
   * Calls `reopen` after a log rotation, so that renamed files are opened again. Returns a function that ends
   * it. Absent: rotations are not signalled.
   */
  readonly onReopen?: (reopen: () => void) => () => void;
  /** Metrics of this process. */
  readonly metrics: Metrics;
  /** Number of this worker; 0 if the gateway is one process. */
  readonly worker: number;
  /** Directory of the spools; undefined if this process must not spool. */
  readonly spoolDirectory: string | undefined;
  /** Maximum size of all spools together in bytes; absent: only the limit of each spool applies. */
  readonly spoolMaxBytes?: number | undefined;
  /**
   * Reserve of their disk in bytes, for records whose responses wait for them; other records leave it free.
   * Absent: the default.
   */
  readonly spoolReserveBytes?: number | undefined;
  /**
   * Start of the gateway in epoch milliseconds. Older records in a spool count as recovered; absent: none do.
   */
  readonly startedAt?: number | undefined;
}
