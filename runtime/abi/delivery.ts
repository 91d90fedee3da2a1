import type { Exchange } from "./exchange.js";
import type { ResourceContext, SharedResource } from "./resource.js";

/**
 * Log shipping: a logger makes entries, a batch processor (memory) or a spool (durable) stores them, a sink
 * delivers them. Nothing here waits in the data path.
 */

/** One record in delivery. */
export interface LogEntry {
  /** Byte string for the destination, without framing: a syslog message or a record. */
  readonly payload: string;
  /** Byte string that selects the partition, for destinations with partitions. */
  readonly key?: string;
  /** Byte string for counters (`entryOrigin`): the logger's name and the route's id. */
  readonly origin?: string;
}

/** Delivers entries to one destination. Owns its connections, opens them on demand and reconnects with backoff. */
export interface Sink {
  /**
   * Delivers in order. Resolves when the destination has all entries as far as its protocol can tell.
   * @throws SendError with the number of entries known to be delivered; the rest may or may not be
   */
  send(entries: readonly LogEntry[]): Promise<void>;
  /** Maximum of the next batch, for a destination that is slow or not known yet; undefined: no limit. */
  readonly batchBytes?: number | undefined;
  /** Aborts the current batch and closes all connections. */
  close(): Promise<void>;
}

/** Batch that could not be delivered, or only its beginning. */
export class SendError extends Error {
  override readonly name = "SendError";
  /** Number of entries from the start that the destination has. */
  readonly delivered: number;
  /** Indexes of entries that can never be delivered (too large, refused for good); others may be retried. */
  readonly refused: readonly number[];

  constructor(message: string, delivered = 0, refused: readonly number[] = [], options?: ErrorOptions) {
    super(message, options);
    this.delivered = delivered;
    this.refused = refused;
  }
}

/** Settings of a batch (spec "Batch processor result", reference section 7). */
export interface BatchSettings {
  /** Label `name` of metrics and log lines. */
  readonly name: string;
  /** Number of entries that sends a batch at once; 1: no waiting. Default: 1000. */
  readonly batchMaxSize: number;
  /** Maximum age in seconds, from its first entry. Default: 5. */
  readonly inactiveTimeout: number;
  /** Second limit of that age in seconds; the smaller one applies. Default: 60. */
  readonly bufferDuration: number;
  /** Default: 0, as APISIX. */
  readonly maxRetryCount: number;
  /** Seconds between retries. Default: 1. */
  readonly retryDelay: number;
  /** Includes entries in flight; further ones are dropped as "buffer overflow". */
  readonly maxPendingEntries: number;
  /** Maximum bytes of pending entries. */
  readonly maxPendingBytes: number;
}

/** Result as in spec "Batch processor result": true, or nil and 'buffer overflow'. */
export type PushResult = { readonly ok: true } | { readonly ok: false; readonly error: "buffer overflow" };

/**
 * Plain description without values of secrets: enough for another process to open the sink. `gwc spool` and
 * the shipper read it from `destination.json` of a spool.
 */
export interface Destination {
  /** Plugin that has the sink. */
  readonly kind: string;
  /** Identity without credentials: spooled entries still belong to it after a rotation. */
  readonly id: string;
  /** Settings of the sink; secrets are references (`secret` of abi/resource.ts). */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** Spool of a destination (`delivery: durable`). */
export interface SpoolWriter {
  /**
   * Resolves when the entry is on disk.
   * @param awaited a response waits for it: it is written at once, without gathering others for 10 ms first,
   * and may use the reserve of the disk
   * @throws SpoolFullError if the spool takes no more, or the error of the disk
   */
  append(entry: LogEntry, awaited?: boolean): Promise<void>;
  /** Reports whether the next entry would be accepted, as far as is known. */
  admits(): boolean;
  /** Writes the last entries and closes; no more may come. */
  drain(deadlineMs: number): Promise<void>;
}

/** Opens the sink of a destination. Does not wait: the destination may be down. */
export type OpenSink = (destination: Destination, context: ResourceContext) => Sink;

/** Log-shipping plugin in a generated module: created once when the module is loaded, without side effects. */
export interface Logger {
  /** Resource to list in `PipelineModule.resources`. */
  readonly resource: SharedResource;
  /** Access phase (`ack: response`): rejects with 503 if the spool would not accept the record. */
  rejectIfFull(x: Exchange): void;
  /** Access phase, if `include_req_body_expr` matches: captures the first bytes of the request body. */
  access(x: Exchange): void;
  /** Header phase, if `include_resp_body_expr` matches: captures the first bytes of the response body. */
  headerFilter(x: Exchange): void;
  /** Acknowledge phase (`ack: response`): the last byte of the response waits until the record is on disk. */
  acknowledge(x: Exchange): void;
  /** Log phase: makes the record and queues it. Never throws and never waits. */
  log(x: Exchange): void;
}
