import {
  describeLogger,
  LOGGER_MEMBERS,
  loggerCode,
  loggerDefaults,
  loggerGuard,
  loggerName,
  loggerView,
  planLogger,
} from "gwc/logger";
import { definePlugin } from "gwc/plugin";
import { DEFAULTS } from "./runtime/defaults.js";

/** Settings with another name in the module, for source maps. */
const SOURCES = { destination: { timeoutMs: ["timeout"] } };

export default definePlugin({
  name: "gelf-logger",
  abi: [3, 3],
  priority: 398,
  phases: ["access", "headerFilter", "acknowledge", "log"],
  exports: { gelfLogger: LOGGER_MEMBERS },
  runtime: "runtime/index.js",
  plan(settings, context) {
    const { host, port, timeout, source } = settings.value;
    const destination = { host, port, timeoutMs: timeout, ...(source !== undefined && { source }) };
    return planLogger(settings, { destination, versions: [] }, context);
  },
  resourceLabel: ({ settings }) =>
    loggerName(settings, DEFAULTS.batch.name, ({ host }) => `gelf log to ${host}`),
  resource: (data, printer) =>
    loggerCode(data, "gelfLogger", loggerDefaults(DEFAULTS, data.settings.delivery), printer, SOURCES),
  describe: (step, kept) => describeLogger(step, kept, ({ host, port }) => `Graylog at ${host}:${port}`),
  guard: loggerGuard,
  view: loggerView,
});
