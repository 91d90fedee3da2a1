import type { Logger } from "../../../runtime/abi/delivery.js";
import type { PluginRuntime } from "../../../runtime/abi/plugin-runtime.js";
import { makeLogger } from "../../../runtime/logging/logger.js";
import type { LoggerSettings } from "../../../runtime/logging/logger-settings.js";
import { loggerSettings, type SparseLoggerSettings } from "../../../runtime/logging/sparse-settings.js";
import { DEFAULTS } from "./defaults.gen.js";
import type { HttpDestination } from "./destination.js";
import { entryMaker, recordIn } from "./entries.js";
import { openHttpSink } from "./sink.js";

/** Ships records to an HTTP server; what a generated module of a route with this plugin makes. */
export function httpLogger(given: SparseLoggerSettings<HttpDestination, typeof DEFAULTS>): Logger {
  const settings = httpSettings(given);
  const entry = entryMaker(settings.destination, settings.keyOf);
  return makeLogger("http-logger", settings, { entry, openSink: openHttpSink });
}

/**
 * The settings in full. What a spool is known by is where records go and in which form: not how many a request has, and not a
 * token that was written out, so that what waits goes out with the next one.
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
