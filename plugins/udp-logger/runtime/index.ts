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

const TERMS: StreamTerms = { server: "log server", name: "log" };

const openSink: OpenSink = (destination, context) => openStreamSink(destination, TERMS, context);

/** Called by the generated module of a route with this plugin. */
export function udpLogger(given: SparseLoggerSettings<StreamDestination, typeof DEFAULTS>): Logger {
  return makeLogger("udp-logger", loggerSettings("udp-logger", given, DEFAULTS));
}

export const runtime: PluginRuntime = { exports: { udpLogger }, openSink };
