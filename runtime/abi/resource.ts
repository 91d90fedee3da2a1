import type { Metrics } from "./metrics.js";

/**
 * Something with state that pipelines share: a sink, a counter, a pool. A module only describes it, so that loading a
 * module has no effect on the world; the host opens it once per key, however many routes and generations name it.
 */
export interface SharedResource {
  /** "syslog", "broker-logger": for messages. */
  readonly kind: string;
  /** Hash of everything that makes it another one (destination, credentials' version), and of nothing else. */
  readonly key: string;
  /** Where it delivers to, in memory or from disk; absent: it delivers nothing. Secrets are references. */
  readonly delivers?: { readonly id: string; readonly delivery: "memory" | "durable" };
  /** Where what it keeps on disk goes; absent: it keeps nothing there. Secrets are references. */
  readonly spooled?: {
    readonly kind: string;
    readonly id: string;
    readonly settings: Readonly<Record<string, unknown>>;
  };
  /** Makes it. Does not wait: what it connects to may be down. @throws with the reason when the settings cannot work */
  open(context: ResourceContext): OpenResource;
  /** Receives the opened one, shared by all descriptions with this key. */
  use(opened: OpenResource): void;
}

export interface OpenResource {
  /** Nothing new comes: delivers what is left within `deadlineMs`, gives up the rest and closes. */
  drain(deadlineMs: number): void | Promise<void>;
}

/** What the process gives the resources that it opens. */
export interface ResourceContext {
  /**
   * Value behind a secret's reference: a text with `${{VAR}}` from the environment, otherwise the name of a literal that
   * the compiler kept apart. Undefined when it is not known here.
   */
  secret(reference: string): string | undefined;
  /** Something an operator should see: an event's name and its fields. Never a secret. */
  report(event: string, fields: Readonly<Record<string, string | number | undefined>>): void;
  /** Tells of a rotation: somebody has renamed log files, which are opened again. @returns ends it; absent: nobody tells */
  readonly onReopen?: (reopen: () => void) => () => void;
  /** Counters of this process. */
  readonly metrics: Metrics;
  /** Number of this worker, 0 where everything is one process. */
  readonly worker: number;
  /** Directory of the spools; undefined where this process may not keep any. */
  readonly spoolDirectory: string | undefined;
  /** Bytes that all spools together may take; absent: as many as their own bounds allow. */
  readonly spoolMaxBytes?: number | undefined;
  /** Bytes of their disk that records which nobody waits for leave free; absent: the default. */
  readonly spoolReserveBytes?: number | undefined;
  /** Start of the gateway, in epoch milliseconds: what stands in a spool from before is counted as recovered; absent: nothing is. */
  readonly startedAt?: number | undefined;
}
