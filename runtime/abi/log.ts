import type { Exchange } from "./exchange.js";
import type { Resource } from "./resource.js";

/** A value of a record; texts and keys are byte strings, and fields that are undefined are left out. */
export type RecordValue =
  | string
  | number
  | boolean
  | null
  | undefined
  | readonly RecordValue[]
  | RecordObject;
export interface RecordObject {
  readonly [field: string]: RecordValue;
}

/**
 * Names that carry credentials of requests, in lower case: what the schemas of the configuration's plugins mark as such.
 * One object for as long as the names are the same.
 */
export interface Credentials {
  readonly headers: readonly string[];
  /** Parameters of the query, and fields of bodies. */
  readonly query: readonly string[];
}

export const NO_CREDENTIALS: Credentials = { headers: [], query: [] };

/** What a variable of a record may have; absent ones stay so. */
type Shown = string | number | undefined;

/**
 * What a record that is being made may show. `request` and `response` are the bodies, cut, decoded where that is possible,
 * and only those that the logger's settings include; byte strings. The methods give back a value of the exchange with what
 * may not be logged masked.
 */
export interface RecordView {
  readonly request: string | undefined;
  readonly response: string | undefined;
  /** A request target. */
  target<T extends Shown>(value: T): T | string;
  /** A query. */
  query<T extends Shown>(value: T): T | string;
  /** A request line. */
  line<T extends Shown>(value: T): T | string;
  /** The field with that name, in lower case. */
  field<T extends Shown>(name: string, value: T): T | string;
  /** The parameter with that name. */
  parameter<T extends Shown>(name: string, value: T): T | string;
}

/**
 * Makes the record of a finished exchange: one line of JSON without line end, as a byte string that is valid UTF-8.
 * Fields without a value are left out.
 */
export type RecordMaker = (x: Exchange, shown: RecordView) => string;

/** Makes fields that are added to the default record (`log_format_extra`). */
export type RecordFields = (x: Exchange, shown: RecordView) => RecordObject;

/** What the module of a plugin's metadata exports (unit "plugin_metadata:<plugin>"): one value that a write swaps. */
export interface PluginMetadataModule {
  /** Name of the plugin. */
  readonly id: string;
  /** Its `log_format`; absent: loggers without a format of their own make the default record. */
  readonly record?: RecordMaker;
  /** Its `log_format_extra`, for loggers that have neither a format nor extra fields of their own. */
  readonly extra?: RecordFields;
  /** Its other settings as written, such as `max_pending_entries`. */
  readonly settings: Readonly<Record<string, unknown>>;
}

/** A log-shipping plugin as a generated module holds it: made once when the module is loaded, without effect on the world. */
export interface Logger {
  /** To be named in `PipelineModule.resources`. */
  readonly resource: Resource;
  /** Access phase (`ack: response`): answers 503 when the spool would not take the record. */
  admit(x: Exchange): void;
  /** Access phase, when `include_req_body_expr` holds: keeps the first bytes of the request body. */
  access(x: Exchange): void;
  /** Header phase, when `include_resp_body_expr` holds: keeps the first bytes of the response body. */
  headerFilter(x: Exchange): void;
  /** Acknowledge phase (`ack: response`): the last byte of the response waits until the record is on disk. */
  acknowledge(x: Exchange): void;
  /** Log phase: makes the record and hands it over. Never throws and never waits. */
  log(x: Exchange): void;
}

/** First bytes of a body, kept while it passed. */
export interface CapturedBody {
  /** As it passed, in its coding; a byte string of at most the bytes asked for. */
  readonly text: string;
  /** Content-Encoding of `text`, lower-case; "" when it has none. */
  readonly coding: string;
  /** Bytes of the whole body, in its coding. */
  readonly size: number;
}
