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
  PlannedSecrets,
  planLogger,
  type UnusedSetting,
} from "../../compiler/logger-api.js";
import type { JsonObject, PluginDefinition, Sources } from "../../compiler/plugin-api.js";
import { DEFAULTS } from "./runtime/defaults.gen.js";
import type { TcpLogger } from "./schema.gen.js";

/** Send buffer, and maximum record size: the defaults of syslog, whose stream it uses. */
const FLUSH_LIMIT = 4_194_304;
const DROP_LIMIT = 1_073_741_824;
const POOL_SIZE = 5;

const SOURCES: Sources = {
  destination: { timeoutMs: ["timeout"], serverName: ["tls_options"] },
  versions: ["key"],
};

export const tcpLogger: PluginDefinition<TcpLogger, LoggerCall, LoggerPlan> = {
  name: "tcp-logger",
  priority: 405,
  moduleUrl: import.meta.url,
  phases: ["access", "headerFilter", "acknowledge", "log"],
  exports: { tcpLogger: LOGGER_MEMBERS },
  plan(settings, context) {
    const { value, spans } = settings;
    const secrets = new PlannedSecrets(context);
    const destination = { ...destinationOf(value), ...secrets.clientPair(value, [], spans) };
    const { versions } = secrets;
    return planLogger(settings, { destination, versions, idle: idleOn(value) }, context);
  },
  resourceLabel: ({ settings }) =>
    loggerName(settings, DEFAULTS.batch.name, ({ host }) => `tcp log to ${host}`),
  resource: (data, printer) =>
    loggerCode(data, "tcpLogger", loggerDefaults(DEFAULTS, data.settings.delivery), printer, SOURCES),
  describe: (step, kept) =>
    describeLogger(step, kept, ({ host, port, tls }) => `${host}:${port} over ${tls ? "TLS" : "tcp"}`),
  guard: loggerGuard,
  view: loggerView,
};

function destinationOf(value: TcpLogger): JsonObject {
  return {
    host: value.host.replace(/^\[(.*)\]$/, "$1"),
    port: value.port,
    sockType: "tcp",
    tls: value.tls,
    framing: "newline",
    timeoutMs: value.timeout,
    flushLimit: FLUSH_LIMIT,
    dropLimit: DROP_LIMIT,
    poolSize: POOL_SIZE,
    ...(value.ca !== undefined && { ca: value.ca }),
    ...(value.tls_options !== undefined && { serverName: value.tls_options }),
  };
}

function idleOn({ tls }: TcpLogger): UnusedSetting[] {
  const ofTls = tls ? [] : ["tls_options", "ca", "cert", "key"];
  return ofTls.map((field) => ({ field, because: "without tls there is no certificate" }));
}
