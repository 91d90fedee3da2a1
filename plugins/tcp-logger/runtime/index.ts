import type { PluginRuntime } from "../../../runtime/abi/plugin-api.js";
import {
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

/** Includes the reference of the client key: spools of earlier versions have it in their id. */
const withKey = (destination: StreamDestination) => destination;

/** Called by the generated module of a route with this plugin. */
export function tcpLogger(given: SparseLoggerSettings<StreamDestination, typeof DEFAULTS>): Logger {
  const settings = loggerSettings("tcp-logger", given, DEFAULTS, withKey);
  const destination = { ...settings.destination, confirm: settings.delivery === "durable" };
  return makeLogger("tcp-logger", { ...settings, destination });
}

export const runtime: PluginRuntime = { exports: { tcpLogger }, openSink };
