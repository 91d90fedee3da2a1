import { reportDatagramPromises } from "../../compiler/log/datagrams.js";
import { planLogger } from "../../compiler/log/logger.js";
import {
  describeLogger,
  LOGGER_MEMBERS,
  loggerCode,
  loggerGuard,
  loggerName,
  loggerView,
} from "../../compiler/log/view.js";
import type { JsonObject, LoggerCall, LoggerPlan } from "../../compiler/model/record-plan.js";
import type { PluginDefinition, Sources } from "../../compiler/plugin/definition.js";
import { loggerDefaults } from "../../runtime/abi/defaults.js";
import type { UdpLogger } from "../../schema/types.gen.js";
import { DEFAULTS } from "./runtime/defaults.gen.js";

const SECOND = 1000;
/** Settings of a stream that datagrams do not have; the sink reads none of them. */
const STREAM = {
  tls: false,
  framing: "newline",
  flushLimit: 4_194_304,
  dropLimit: 1_073_741_824,
  poolSize: 5,
};

/** Settings with another name in the module. */
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

/** Returns the `StreamDestination` of the runtime. */
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
