// Generated from schemas by `npm run types`. Change those, not this file.

import type { LoggerSettings } from "../../compiler/logger-api.js";

export interface FileLogger extends LoggerSettings {
  path: string;
  max_bytes?: number;
  keep: number;
}
