import type { Logger, SparseLoggerSettings } from "gwc/logger/runtime";
import type { PluginRuntime } from "gwc/plugin";
import type { DEFAULTS } from "./defaults.js";

/** Destination of records, as in modules and spools. */
export interface GelfDestination {
  readonly host: string;
  readonly port: number;
  readonly timeoutMs: number;
  readonly source?: string;
}

export declare function gelfLogger(given: SparseLoggerSettings<GelfDestination, typeof DEFAULTS>): Logger;

export declare const runtime: PluginRuntime;
