import type { PluginRuntime } from "../../../runtime/abi/plugin-api.js";
import {
  type Logger,
  type LoggerSettings,
  loggerSettings,
  makeLogger,
  type SparseLoggerSettings,
} from "../../../runtime/logging/index.js";
import { DEFAULTS } from "./defaults.gen.js";
import type { HttpDestination } from "./destination.js";
import { entryMaker, recordIn } from "./entries.js";
import { openHttpSink } from "./sink.js";

/** Called by the generated module of a route with this plugin. */
export function httpLogger(given: SparseLoggerSettings<HttpDestination, typeof DEFAULTS>): Logger {
  const settings = httpSettings(given);
  const entry = entryMaker(settings.destination, settings.keyOf);
  return makeLogger("http-logger", settings, entry);
}

/**
 * The destination id covers address and format, but neither the size of a request nor a plain-text token. So
 * pending entries are sent with the next token.
 */
export function httpSettings(
  given: SparseLoggerSettings<HttpDestination, typeof DEFAULTS>,
): LoggerSettings<HttpDestination> {
  return loggerSettings(
    "http-logger",
    given,
    DEFAULTS,
    ({ records: _, tls, headers = {}, loki: __, ...rest }) => {
      const others = Object.entries(headers).filter(
        ([name, value]) => name.toLowerCase() !== "authorization" || value.includes("${{"),
      );
      return { ...rest, headers: Object.fromEntries(others), ...(tls?.cert && { cert: tls.cert }) };
    },
  );
}

export const runtime: PluginRuntime = { exports: { httpLogger }, openSink: openHttpSink, recordIn };
