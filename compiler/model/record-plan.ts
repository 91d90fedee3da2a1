import type { Condition, ConfigPath, Regex, Text } from "./plan.js";

/** Value of a record. Texts are byte strings. */
export type RecordPart =
  | { literal: string | number | boolean }
  /** Keeps the variable's type; the field is omitted if it is absent without a fallback. */
  | { variable: string; fallback?: string }
  | { text: Text }
  | { fields: RecordField[] }
  /** The variable, or the part if it is absent. */
  | { variable: string; otherwise: RecordPart };

export interface RecordField {
  /** Byte string. */
  name: string;
  value: RecordPart;
}

/** Plain data that is printed as a literal. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** Plan of a logger, with fields of `LoggerSettings` of the runtime. */
export interface LoggerPlan {
  /** Settings that are plain data, in the order in which it is printed. */
  settings: JsonObject;
  /** `log_format` of the plugin. */
  record: RecordField[] | null;
  /** `log_format_extra`. */
  extra: RecordField[] | null;
  entryKey: Text | null;
  /** Patterns of masked texts in bodies (`settings.bodyMasks`). */
  bodyPatterns?: Regex[];
  /** Text whose hash decides whether a request is sampled (`settings.sample`). */
  sampleKey?: Text;
  /** Host name in messages. Default: that of the machine. */
  hostname?: Text;
  /** Fields of a JSON object as the key of the entry, in place of a text. */
  entryFields?: RecordField[];
}

/** Call of a logger in one phase. */
export interface LoggerCall {
  call: "rejectIfFull" | "access" | "headerFilter" | "acknowledge" | "log";
  /** `include_req_body_expr` or `include_resp_body_expr`. */
  when: { condition: Condition; field: string; origin: ConfigPath } | null;
}

export interface MetadataPlan {
  plugin: string;
  origin: ConfigPath;
  record: RecordField[] | null;
  extra: RecordField[] | null;
  settings: JsonObject;
}
