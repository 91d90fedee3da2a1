// Generated from schemas by `npm run types`. Change those, not this file.

import type { LoggerSettings } from "../../compiler/logger-api.js";

export interface HttpLogger extends LoggerSettings {
  uri: string;
  method: "POST" | "PUT";
  headers: {
    [k: string]: string;
  };
  auth_header?: string;
  timeout: number;
  ssl_verify: boolean;
  tls?: HttpLoggerTls;
  format: "json" | "ndjson" | "loki" | "elasticsearch" | "clickhouse" | "otlp";
  /**
   * @deprecated
   */
  concat_method?: "json" | "new_line";
  loki: HttpLoggerLoki;
  elasticsearch: HttpLoggerElasticsearch;
  clickhouse: HttpLoggerClickhouse;
  otlp: HttpLoggerOtlp;
  compression: "none" | "gzip" | "zstd";
}
export interface HttpLoggerTls {
  ca?: string;
  cert?: string;
  key?: string;
}
export interface HttpLoggerLoki {
  labels: {
    [k: string]: string;
  };
  max_streams: number;
}
export interface HttpLoggerElasticsearch {
  index: string;
  max_indexes: number;
}
export interface HttpLoggerClickhouse {
  database: string;
  table: string;
}
export interface HttpLoggerOtlp {
  resource: {
    [k: string]: string;
  };
}
