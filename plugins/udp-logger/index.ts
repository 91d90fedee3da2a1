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
  reportDatagramPromises,
} from "../../compiler/logger-api.js";
import type { JsonObject, PluginDefinition, Sources } from "../../compiler/plugin-api.js";
import { DEFAULTS } from "./runtime/defaults.gen.js";
import type { UdpLogger } from "./schema.gen.js";

const SECOND = 1000;
/** Settings of a stream that datagrams do not have; the sink reads none of them. */
const STREAM = {
  tls: false,
  framing: "newline",
  flushLimit: 4_194_304,
  dropLimit: 1_073_741_824,
  poolSize: 5,
};

const SOURCES: Sources = { destination: { timeoutMs: ["timeout"] } };

export const udpLogger: PluginDefinition<UdpLogger, LoggerCall, LoggerPlan> = {
  name: "udp-logger",
  priority: 400,
  moduleUrl: import.meta.url,
  phases: ["access", "headerFilter", "acknowledge", "log"],
  exports: { udpLogger: LOGGER_MEMBERS },
  plan(settings, context) {
    reportDatagramPromises(settings, context, (promised) => ({
      help: promised ? "use tcp-logger, or leave ack out" : "use tcp-logger",
    }));
    return planLogger(settings, { destination: destinationOf(settings.value), versions: [] }, context);
  },
  resourceLabel: ({ settings }) =>
    loggerName(settings, DEFAULTS.batch.name, ({ host }) => `udp log to ${host}`),
  resource: (data, printer) =>
    loggerCode(data, "udpLogger", loggerDefaults(DEFAULTS, data.settings.delivery), printer, SOURCES),
  describe: (step, kept) => describeLogger(step, kept, ({ host, port }) => `${host}:${port} over udp`),
  guard: loggerGuard,
  view: loggerView,
};

function destinationOf(value: UdpLogger): JsonObject {
  return {
    ...STREAM,
    host: value.host.replace(/^\[(.*)\]$/, "$1"),
    port: value.port,
    sockType: "udp",
    timeoutMs: value.timeout * SECOND,
    maxDatagram: value.max_datagram,
  };
}
