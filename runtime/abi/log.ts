import type { ByteBudget } from "./buffered-bytes.js";

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
  /** Fields that header actions make of a variable, `["http_x_key", "x-copy"]`: credentials where the variable is one. */
  readonly copies?: readonly (readonly [variable: string, field: string])[];
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

/** A step of a path: the name of a member, the index of an item, null for any of both, true for any number of levels before the next step. */
export type JsonPathStep = string | number | null | true;
export type JsonPath = readonly JsonPathStep[];

/**
 * Characters of a body in which matches of one window of a mask's pattern begin, and how many it sees before and behind them. What is
 * longer than `longest` is masked whole: each of its steps would hold the worker for more than some milliseconds.
 */
export const MASKED_BODY = { longest: 1_048_576, slice: 16_384, before: 256, behind: 4_096 } as const;

/** First bytes of a body, kept while it passed. */
export interface CapturedBody {
  /** As it passed, in its coding; a byte string of at most the bytes asked for. */
  readonly text: string;
  /** Content-Encoding of `text`, lower-case; "" when it has none. */
  readonly coding: string;
  /** Bytes of the whole body, in its coding. */
  readonly size: number;
  /** Budget of the text of a coded body, once it is decoded. */
  readonly budget?: ByteBudget;
}
