import type { ByteBudget } from "./buffered-bytes.js";

/** Value of a record; texts and keys are byte strings, and undefined fields are omitted. */
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

/** Names that carry credentials, in lower case, as plugin schemas mark them. The same object until a name changes. */
export interface Credentials {
  readonly headers: readonly string[];
  /** Parameters of the query, and fields of bodies. */
  readonly query: readonly string[];
  /** Headers that actions copy from a variable, `["http_x_key", "x-copy"]`: credentials if the variable is one. */
  readonly copies?: readonly (readonly [variable: string, field: string])[];
}

export const NO_CREDENTIALS: Credentials = { headers: [], query: [] };

/** Variable in a record; absent values stay absent. */
type Shown = string | number | undefined;

/**
 * View of an exchange for its record. The bodies are byte strings, cut, decoded if possible, and only those
 * that the logger's settings include. The methods mask the credentials in a value of the exchange.
 */
export interface RecordView {
  readonly request: string | undefined;
  readonly response: string | undefined;
  /** Masks a request target. */
  target<T extends Shown>(value: T): T | string;
  query<T extends Shown>(value: T): T | string;
  line<T extends Shown>(value: T): T | string;
  /** @param name of the header, in lower case */
  field<T extends Shown>(name: string, value: T): T | string;
  parameter<T extends Shown>(name: string, value: T): T | string;
}

/** Name of a member, or index of an item; null: any one member or item; true: any number of levels. */
export type JsonPathStep = string | number | null | true;
export type JsonPath = readonly JsonPathStep[];

/**
 * Slices of a masked body, in characters: a match begins within `slice`, and may look at `before` characters
 * in front of it and `behind` after it. A body longer than `longest` is masked as a whole: each of its steps
 * would block the worker for more than some milliseconds.
 */
export const MASKED_BODY = { longest: 1_048_576, slice: 16_384, before: 256, behind: 4_096 } as const;

export interface CapturedBody {
  /** Byte string in its coding, at most as long as requested. */
  readonly text: string;
  /** Content-Encoding in lower case; "" if it has none. */
  readonly coding: string;
  /** Bytes of the whole body, in its coding. */
  readonly size: number;
  /** Budget for the decoded text of a coded body. */
  readonly budget?: ByteBudget;
}
