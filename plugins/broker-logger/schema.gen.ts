// Generated from schemas by `npm run types`. Change those, not this file.

import type { LoggerSettings } from "../../compiler/logger-api.js";

export interface BrokerLogger extends LoggerSettings {
  /**
   * @deprecated
   */
  broker_list?:
    | {
        [k: string]: number;
      }
    | (BrokerAddress | string)[];
  brokers?: Broker[];
  broker_topic: string;
  client: "kafkajs" | "platformatic";
  producer_type: "async" | "sync";
  required_acks: 1 | -1;
  key?: string;
  timeout: number;
  meta_format: "default" | "origin";
  cluster_name: number;
  api_version?: 0 | 1 | 2;
  producer_batch_num: number;
  producer_batch_size: number;
  producer_max_buffering: number;
  producer_time_linger: number;
  meta_refresh_interval: number;
  compression: "none" | "gzip" | "snappy" | "zstd";
  tls?: BrokerLoggerTls;
}
export interface BrokerAddress {
  host: string;
  port: number;
}
export interface Broker {
  host: string;
  port: number;
  sasl_config?: SaslConfig;
}
export interface SaslConfig {
  mechanism: "PLAIN" | "SCRAM-SHA-256" | "SCRAM-SHA-512";
  user: string;
  password: string;
}
export interface BrokerLoggerTls {
  verify: boolean;
  ca?: string;
  cert?: string;
  key?: string;
}
