import type { Exchange } from "./exchange.js";
import type { ResourceContext, SharedResource } from "./resource.js";

/**
 * How the parts of log shipping meet: a logger makes entries, a batch processor (memory) or a spool (durable) keeps them,
 * a sink delivers them. Nothing here waits in the data path.
 */

/** One record on its way. */
export interface LogEntry {
  /** What the destination gets, without framing: a syslog message or a record; a byte string. */
  readonly payload: string;
  /** Key that decides about the partition, for destinations that have some; a byte string. */
  readonly key?: string;
  /** In a spool: name of the logger and id of the route, for counters (`entryOrigin`); a byte string. */
  readonly origin?: string;
}

/** Delivers entries to one destination. Owns its connections; opened lazily, reconnects by itself with backoff. */
export interface Sink {
  /**
   * Delivers all entries, in order. Resolves when the destination has them as far as its protocol can tell.
   * @throws SendError with the number of entries that are known to be delivered; the rest may or may not be
   */
  send(entries: readonly LogEntry[]): Promise<void>;
  /** Bytes that the next batch should have at most, where the destination is slow or not known yet; undefined: any number. */
  readonly batchBytes?: number | undefined;
  /** Gives up what is being sent and closes all connections. */
  close(): Promise<void>;
}

/** A batch that could not be delivered, or only its beginning. */
export class SendError extends Error {
  override readonly name = "SendError";
  /** Entries from the start that the destination has. */
  readonly delivered: number;
  /** Indexes of entries that can never be delivered (too large, refused for good); the others are worth a retry. */
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
  /** Entries that make a batch leave at once; 1: no waiting. Default 1000. */
  readonly batchMaxSize: number;
  /** Seconds after the first entry of a batch at which it leaves at the latest. Default 5. */
  readonly inactiveTimeout: number;
  /** Seconds; the smaller of this and `inactiveTimeout` holds. Default 60. */
  readonly bufferDuration: number;
  /** Retries of a failed batch; default 0, as APISIX. */
  readonly maxRetryCount: number;
  /** Seconds between retries; default 1. */
  readonly retryDelay: number;
  /** Entries that may be kept (waiting and being sent); more are dropped as "buffer overflow". */
  readonly maxPendingEntries: number;
  /** Bytes that may be kept. */
  readonly maxPendingBytes: number;
}

/** Result of a push (spec "Batch processor result": true, or nil and 'buffer overflow'). */
export type PushResult = { readonly ok: true } | { readonly ok: false; readonly error: "buffer overflow" };

/**
 * Plain description of a destination, without secrets' values: enough for another process to open its sink. It is what
 * `gwc spool` and the shipper read from `destination.json` of a spool.
 */
export interface Destination {
  /** Name of the plugin that has the sink. */
  readonly kind: string;
  /** Identity of the destination without credentials: entries spooled for it stay its own when credentials rotate. */
  readonly id: string;
  /** Settings of the sink; secrets are references (`secret` of abi/resource.ts). */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** The spool of a destination as a logger sees it (`delivery: durable`). */
export interface SpoolWriter {
  /**
   * Resolves when the entry is on disk.
   * @param awaited somebody waits for it: it is written at once, without gathering others for 10 ms first, and may use what
   *   the disk keeps in reserve
   * @throws SpoolFullError when the spool takes nothing more, or why the disk does not take it
   */
  append(entry: LogEntry, awaited?: boolean): Promise<void>;
  /** Whether the next entry would be taken, as far as is known. */
  admits(): boolean;
  /** Nothing more comes: writes what is left and closes. */
  drain(deadlineMs: number): Promise<void>;
}

/** Opens the sink of a destination. Does not wait: the destination may be down. */
export type OpenSink = (destination: Destination, context: ResourceContext) => Sink;

/** A log-shipping plugin as a generated module holds it: made once when the module is loaded, without effect on the world. */
export interface Logger {
  /** To be named in `PipelineModule.resources`. */
  readonly resource: SharedResource;
  /** Access phase (`ack: response`): answers 503 when the spool would not take the record. */
  rejectIfFull(x: Exchange): void;
  /** Access phase, when `include_req_body_expr` holds: keeps the first bytes of the request body. */
  access(x: Exchange): void;
  /** Header phase, when `include_resp_body_expr` holds: keeps the first bytes of the response body. */
  headerFilter(x: Exchange): void;
  /** Acknowledge phase (`ack: response`): the last byte of the response waits until the record is on disk. */
  acknowledge(x: Exchange): void;
  /** Log phase: makes the record and hands it over. Never throws and never waits. */
  log(x: Exchange): void;
}
