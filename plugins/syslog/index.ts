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
  reportDatagramPromises,
  type UnusedSetting,
} from "../../compiler/logger-api.js";
import {
  diagnostic,
  type JsonObject,
  type PlanContext,
  type PluginDefinition,
  type PluginSettings,
  parseText,
  reportAtReference,
  type Sources,
  type Text,
} from "../../compiler/plugin-api.js";
import { DEFAULTS } from "./runtime/defaults.gen.js";
import type { Syslog } from "./schema.gen.js";

type Settled = PluginSettings<Syslog>;

/** Unit of the limits (spec rows 6 and 7). */
const KILOBYTE = 1024;

const SOURCES: Sources = {
  destination: { timeoutMs: ["timeout"] },
  versions: ["key"],
};

export const syslog: PluginDefinition<Syslog, LoggerCall, LoggerPlan> = {
  name: "syslog",
  priority: 401,
  moduleUrl: import.meta.url,
  phases: ["access", "headerFilter", "acknowledge", "log"],
  exports: { syslog: LOGGER_MEMBERS },
  plan(settings, context) {
    reportTransport(settings, context);
    const { value, spans } = settings;
    const secrets = new PlannedSecrets(context);
    const destination = { ...destinationOf(settings, context), ...secrets.clientPair(value, [], spans) };
    const { versions } = secrets;
    const hostname = hostnameOf(settings, context);
    return planLogger(settings, { destination, versions, idle: idleOn(value), hostname }, context);
  },
  resourceLabel: ({ settings }) =>
    loggerName(settings, DEFAULTS.batch.name, ({ host }) => `syslog to ${host}`),
  resource: (data, printer) =>
    loggerCode(data, "syslog", loggerDefaults(DEFAULTS, data.settings.delivery), printer, SOURCES),
  describe: (step, kept) =>
    describeLogger(step, kept, ({ host, port, sockType }) => `${host}:${port} over ${sockType}`),
  guard: loggerGuard,
  view: loggerView,
};

function destinationOf({ value, written, spans }: Settled, context: PlanContext): JsonObject {
  const { flush_limit: flush, drop_limit: drop } = value;
  if (flush >= drop) {
    const field = written.drop_limit === undefined ? "flush_limit" : "drop_limit";
    const effect = drop > 0 ? "flush_limit has no effect" : "no message is sent";
    context.report(diagnostic("GW4402", spans.value([field]), { flush, drop, effect }));
  }
  return {
    host: value.host.replace(/^\[(.*)\]$/, "$1"),
    port: value.port,
    sockType: value.sock_type,
    tls: value.tls,
    framing: value.framing,
    timeoutMs: value.timeout,
    flushLimit: flush * KILOBYTE,
    dropLimit: Math.max(0, drop) * KILOBYTE,
    poolSize: value.pool_size,
    ...(value.ca === undefined ? {} : { ca: value.ca }),
    ...(written.max_datagram === undefined ? {} : { maxDatagram: written.max_datagram }),
  };
}

function hostnameOf({ value: { hostname }, spans }: Settled, context: PlanContext): Text | undefined {
  if (hostname === undefined) return undefined;
  const rules = { now: "log", place: "the hostname of a message", captures: undefined } as const;
  return parseText(
    hostname,
    rules,
    reportAtReference(hostname, 0, spans.value(["hostname"]), context.report),
  );
}

function reportTransport(settings: Settled, context: PlanContext): void {
  const { value, spans } = settings;
  if (value.sock_type !== "udp") return;
  const notes = [{ message: "sock_type is udp here", span: spans.value(["sock_type"]) }];
  if (value.tls) context.report(diagnostic("GW4401", spans.value(["tls"]), {}, { notes }));
  reportDatagramPromises(settings, context, () => ({ notes }));
}

function idleOn({ sock_type, tls }: Syslog): UnusedSetting[] {
  const ofTls = tls ? [] : ["ca", "cert", "key"];
  const idle = ofTls.map((field) => ({ field, because: "without tls there is no certificate" }));
  if (sock_type !== "udp") return [...idle, { field: "max_datagram", because: "only udp has datagrams" }];
  return [
    ...idle,
    { field: "framing", because: "on udp each message is a datagram" },
    { field: "pool_size", because: "udp has no connections" },
  ];
}
