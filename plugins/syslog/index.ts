import { diagnostic } from "../../compiler/diagnostics/report.js";
import type { Idle } from "../../compiler/log/idle.js";
import { planLogger } from "../../compiler/log/logger.js";
import type { JsonObject, LoggerPlan } from "../../compiler/log/plan.js";
import type { CommonSettings } from "../../compiler/log/settings.js";
import { LOGGER_MEMBERS, loggerCode, loggerGuard, loggerView } from "../../compiler/log/view.js";
import type { Located } from "../../compiler/parse/source.js";
import type { PlanContext, PluginDefinition } from "../../compiler/plugin/definition.js";

/** The settings as `schema.json` lets them through. */
interface Settings extends CommonSettings {
  host: string;
  port: number;
  timeout?: number;
  tls?: boolean;
  flush_limit?: number;
  drop_limit?: number;
  sock_type?: "tcp" | "udp";
  pool_size?: number;
  framing?: "newline" | "octet_counting";
  ca?: string;
  max_datagram?: number;
}

const NAME = "syslog";
/** Bytes of the kilobyte in which the limits are given (spec rows 6 and 7). */
const KILOBYTE = 1024;

export const syslog: PluginDefinition = {
  name: NAME,
  priority: 401,
  at: import.meta.url,
  phases: ["access", "headerFilter", "acknowledge", "log"],
  calls: { syslog: LOGGER_MEMBERS },
  plan(settings, context) {
    const value = settings.value as unknown as Settings;
    reportTransport(value, settings, context);
    const destination = destinationOf(value, settings, context);
    const parts = { kind: NAME, batchName: "sys logger", destination, identity: destination, versions: [] };
    return planLogger(settings, { ...parts, idle: idleOn(value) }, context);
  },
  resource: (data, printer) => loggerCode(data as LoggerPlan, "syslog", printer),
  guard: loggerGuard,
  view: loggerView,
};

/** `SyslogDestination` of the runtime. */
function destinationOf(
  value: Settings,
  { spans }: Located<Record<string, unknown>>,
  context: PlanContext,
): JsonObject {
  const { flush_limit: flush = 4096, drop_limit: drop = 1_048_576 } = value;
  if (flush >= drop) {
    const field = value.drop_limit === undefined ? "flush_limit" : "drop_limit";
    const effect = drop > 0 ? "flush_limit has no effect" : "no message is sent";
    context.report(diagnostic("GW4402", spans.value([field]), { flush, drop, effect }));
  }
  return {
    host: value.host.replace(/^\[(.*)\]$/, "$1"),
    port: value.port,
    sockType: value.sock_type ?? "tcp",
    tls: value.tls ?? false,
    framing: value.framing ?? "newline",
    timeoutMs: value.timeout ?? 3000,
    flushLimit: flush * KILOBYTE,
    dropLimit: Math.max(0, drop) * KILOBYTE,
    poolSize: value.pool_size ?? 5,
    ...(value.ca === undefined ? {} : { ca: value.ca }),
    ...(value.max_datagram === undefined ? {} : { maxDatagram: value.max_datagram }),
  };
}

function reportTransport(
  { tls, sock_type, delivery, ack }: Settings,
  { spans }: Located<Record<string, unknown>>,
  context: PlanContext,
): void {
  if (sock_type !== "udp") return;
  const notes = [{ message: "sock_type is udp here", span: spans.value(["sock_type"]) }];
  if (tls === true) context.report(diagnostic("GW4401", spans.value(["tls"]), {}, { notes }));
  if (delivery !== "durable") return;
  const promised = ack === "response";
  const at = spans.value([promised ? "ack" : "delivery"]);
  context.report(diagnostic(promised ? "GW4413" : "GW4412", at, {}, { notes }));
}

function idleOn({ sock_type, tls }: Settings): Idle[] {
  const idle = tls === true ? [] : [{ field: "ca", because: "without tls there is no certificate" }];
  if (sock_type !== "udp") return [...idle, { field: "max_datagram", because: "only udp has datagrams" }];
  return [
    ...idle,
    { field: "framing", because: "on udp each message is a datagram" },
    { field: "pool_size", because: "udp has no connections" },
  ];
}
