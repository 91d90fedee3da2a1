import type { Logger, OpenSink } from "../../../runtime/abi/delivery.js";
import type { PluginRuntime } from "../../../runtime/abi/plugin-runtime.js";
import { flattenRope } from "../../../runtime/logging/flatten-rope.js";
import { makeLogger } from "../../../runtime/logging/logger.js";
import type { StreamDestination } from "../../../runtime/logging/logger-settings.js";
import { loggerSettings, type SparseLoggerSettings } from "../../../runtime/logging/sparse-settings.js";
import { openStreamSink } from "../../../runtime/logging/stream/open-stream-sink.js";
import type { StreamTerms } from "../../../runtime/logging/stream/stream-terms.js";
import { DEFAULTS } from "./defaults.gen.js";

const TERMS: StreamTerms = { server: "log server", name: "log" };

const openSink: OpenSink = (destination, context) => openStreamSink(destination, TERMS, context);

/**
 * Logger that ships records as datagrams to a log server; the generated module of a route with this plugin
 * calls it.
 */
export function udpLogger(given: SparseLoggerSettings<StreamDestination, typeof DEFAULTS>): Logger {
  const settings = loggerSettings("udp-logger", given, DEFAULTS);
  const entry = (_: unknown, record: string) => ({ payload: flattenRope(record) });
  return makeLogger("udp-logger", settings, { entry, openSink });
}

export const runtime: PluginRuntime = { exports: { udpLogger }, openSink };
