// Generated from schemas by `npm run types`. Change those, not this file.

import type { LoggerSettings } from "../../compiler/logger-api.js";

export interface UdpLogger extends LoggerSettings {
  host: string;
  port: number;
  timeout: number;
  max_datagram: number;
}
