import {
  describeLogger,
  LOGGER_MEMBERS,
  type LoggerCall,
  type LoggerPlan,
  loggerCode,
  loggerDefaults,
  loggerGuard,
  loggerName,
  loggerView,
  planLogger,
} from "../../compiler/logger-api.js";
import type { JsonObject, PluginDefinition, Sources } from "../../compiler/plugin-api.js";
import type { FileLogger } from "../../schema/types.gen.js";
import { DIAGNOSTICS } from "./diagnostics.js";
import { FORMATS } from "./formats.js";
import { DEFAULTS } from "./runtime/defaults.gen.js";

const SOURCES: Sources = { destination: {} };

export const fileLogger: PluginDefinition<FileLogger, LoggerCall, LoggerPlan> = {
  name: "file-logger",
  priority: 399,
  moduleUrl: import.meta.url,
  phases: ["access", "headerFilter", "acknowledge", "log"],
  exports: { fileLogger: LOGGER_MEMBERS },
  formats: FORMATS,
  diagnostics: DIAGNOSTICS,
  plan(settings, context) {
    const rotates = settings.value.max_bytes !== undefined;
    const idle = rotates ? [] : [{ field: "keep", because: "without max_bytes no file is renamed" }];
    return planLogger(settings, { destination: destinationOf(settings.value), versions: [], idle }, context);
  },
  resourceLabel: ({ settings }) =>
    loggerName(settings, DEFAULTS.batch.name, ({ path }) => `log file ${String(path).replace(/^.*\//s, "")}`),
  resource: (data, printer) =>
    loggerCode(data, "fileLogger", loggerDefaults(DEFAULTS, data.settings.delivery), printer, SOURCES),
  describe: (step, kept) => describeLogger(step, kept, ({ path }) => String(path)),
  guard: loggerGuard,
  view: loggerView,
};

function destinationOf({ path, max_bytes: maxBytes, keep }: FileLogger): JsonObject {
  return { path, ...(maxBytes !== undefined && { maxBytes, keep }) };
}
