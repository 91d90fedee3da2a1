import type { PluginRuntime } from "../../../runtime/abi/plugin-api.js";
import {
  flattenRope,
  type Logger,
  loggerSettings,
  makeLogger,
  type OpenSink,
  openStreamSink,
  type SparseLoggerSettings,
  type StreamDestination,
  type StreamTerms,
} from "../../../runtime/logging/index.js";
import { DEFAULTS } from "./defaults.gen.js";

const TERMS: StreamTerms = {
  server: "log server",
  name: "log",
  failed: {
    metric: "gw_log_connections_failed_total",
    help: "Connections to log servers that failed after a batch was written; its end may be lost.",
  },
};

const openSink: OpenSink = (destination, context) => openStreamSink(destination, TERMS, context);

/** Called by the generated module of a route with this plugin. */
export function tcpLogger(given: SparseLoggerSettings<StreamDestination, typeof DEFAULTS>): Logger {
  const settings = loggerSettings("tcp-logger", given, DEFAULTS);
  const destination = { ...settings.destination, confirm: settings.delivery === "durable" };
  return makeLogger("tcp-logger", { ...settings, destination }, (_, record) => ({
    payload: flattenRope(record),
  }));
}

export const runtime: PluginRuntime = { exports: { tcpLogger }, openSink };
