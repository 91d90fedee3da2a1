// Generated from schemas by `npm run types`. Change those, not this file.

import type { LoggerSettings } from "../../compiler/logger-api.js";

export interface TcpLogger extends LoggerSettings {
  host: string;
  port: number;
  timeout: number;
  tls: boolean;
  tls_options?: string;
  ca?: string;
  cert?: string;
  key?: string;
}
