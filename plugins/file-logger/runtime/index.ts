import type { PluginRuntime } from "../../../runtime/abi/plugin-api.js";
import {
  type Logger,
  loggerSettings,
  makeLogger,
  type SparseLoggerSettings,
} from "../../../runtime/logging/index.js";
import { DEFAULTS } from "./defaults.gen.js";
import { type FileDestination, openFileSink } from "./sink.js";

/** Called by the generated module of a route with this plugin. */
export function fileLogger(given: SparseLoggerSettings<FileDestination, typeof DEFAULTS>): Logger {
  // The destination id is the path alone: a spool stays when `max_bytes` or `keep` change.
  const settings = loggerSettings("file-logger", given, DEFAULTS, ({ path }) => ({ path }));
  const destination = { ...settings.destination, flush: settings.delivery === "durable" };
  return makeLogger("file-logger", { ...settings, destination });
}

export const runtime: PluginRuntime = { exports: { fileLogger }, openSink: openFileSink };
