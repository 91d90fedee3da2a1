// Generated from schemas by `npm run types`. Change those, not this file.

export type Value =
  | string
  | number
  | boolean
  | {
      [k: string]: Value;
    };
export type IncludeRequestBodyWhen = unknown[];
export type IncludeResponseBodyWhen = unknown[];
export type Sample =
  | number
  | {
      rate: number;
      key?: string;
      always_errors: boolean;
      always_slower_than_ms?: number;
    };

export interface LoggerSettings {
  name: string;
  log_format?: LogFormat;
  log_format_extra?: LogFormat;
  include_req_body: boolean;
  include_req_body_expr?: IncludeRequestBodyWhen;
  max_req_body_bytes: number;
  include_resp_body: boolean;
  include_resp_body_expr?: IncludeResponseBodyWhen;
  max_resp_body_bytes: number;
  batch_max_size: number;
  inactive_timeout: number;
  buffer_duration: number;
  max_retry_count: number;
  retry_delay: number;
  max_pending_bytes: number;
  delivery: "memory" | "durable";
  ack: "log" | "response";
  spool: SpoolLimits;
  sample?: Sample;
  record_id?: boolean;
  redact: Redact;
}
export interface LogFormat {
  [k: string]: Value;
}
export interface SpoolLimits {
  max_bytes: number;
  on_full: "refuse" | "drop_oldest";
}
export interface Redact {
  credentials: boolean;
  headers: string[];
  query: string[];
  body?: {
    json_paths?: string[];
    patterns?: string[];
  };
}
