import type { Condition, ConfigPath, Regex, Text } from "../plan/plan.js";

/** A value of a record. Texts are byte strings. */
export type RecordPart =
  | { literal: string | number | boolean }
  /** Keeps the variable's type; the field is left out when it is absent and has no fallback. */
  | { variable: string; fallback?: string }
  | { text: Text }
  | { fields: RecordField[] }
  /** The variable, or where it is absent the part. */
  | { variable: string; otherwise: RecordPart };

export interface RecordField {
  /** A byte string. */
  name: string;
  value: RecordPart;
}

/** Plain data that is printed as it is. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [name: string]: Json;
}

/** What a logger's factory is given, as the plan holds it; its fields are those of `LoggerSettings` of the runtime. */
export interface LoggerPlan {
  /** Fields of `LoggerSettings` that are plain data, in the order in which they are printed. */
  settings: JsonObject;
  /** The plugin's own `log_format`. */
  record: RecordField[] | null;
  /** `log_format_extra`. */
  extra: RecordField[] | null;
  /** Key of the entry. */
  entryKey: Text | null;
  /** What is masked in bodies (`settings.bodyMasks`). */
  bodyPatterns?: Regex[];
  /** What decides whether a request is in the sample (`settings.sample`). */
  sampleKey?: Text;
  /** Host that a message says it comes from; absent: the machine's. */
  hostname?: Text;
  /** Fields of a JSON object that is the key of the entry, in place of a text. */
  entryFields?: RecordField[];
}

/** What a logger does in one phase: one call. */
export interface LoggerCall {
  call: "rejectIfFull" | "access" | "headerFilter" | "acknowledge" | "log";
  /** `include_req_body_expr` or `include_resp_body_expr`. */
  when: { condition: Condition; field: string; origin: ConfigPath } | null;
}

/** Metadata of a plugin that logs. */
export interface MetadataPlan {
  plugin: string;
  origin: ConfigPath;
  record: RecordField[] | null;
  extra: RecordField[] | null;
  /** The other settings as written. */
  settings: JsonObject;
}
