// Generated from schemas by `npm run types`. Change those, not this file.

import type { LoggerSettings } from "../../compiler/logger-api.js";

export interface Syslog extends LoggerSettings {
  host: string;
  port: number;
  timeout: number;
  tls: boolean;
  flush_limit: number;
  drop_limit: number;
  sock_type: "tcp" | "udp";
  pool_size: number;
  framing: "newline" | "octet_counting";
  ca?: string;
  cert?: string;
  key?: string;
  hostname?: string;
  max_datagram: number;
}
