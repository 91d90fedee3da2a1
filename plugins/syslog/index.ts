import {
  defineLogger,
  planLogText,
  reportDatagramPromises,
  type UnusedSetting,
} from "../../compiler/logger-api.js";
import {
  diagnostic,
  type JsonObject,
  type PlanContext,
  type PluginSettings,
} from "../../compiler/plugin-api.js";
import { DEFAULTS } from "./runtime/defaults.gen.js";
import type { Syslog } from "./schema.gen.js";

type Settled = PluginSettings<Syslog>;

/** Unit of the limits (spec rows 6 and 7). */
const KILOBYTE = 1024;

export const syslog = {
  moduleUrl: import.meta.url,
  priority: 401,
  ...defineLogger<Syslog>({
    name: "syslog",
    defaults: DEFAULTS,
    plan(settings, context, secrets) {
      const { value, spans } = settings;
      reportTransport(settings, context);
      return {
        destination: { ...destinationOf(settings, context), ...secrets.clientPair(value, [], spans) },
        idle: idleOn(value),
        ...(value.hostname !== undefined && {
          hostname: planLogText(
            value.hostname,
            "the hostname of a message",
            spans.value(["hostname"]),
            context,
          ),
        }),
      };
    },
    sources: () => ({ destination: { timeoutMs: ["timeout"] }, versions: ["key"] }),
    label: ({ host }) => `syslog to ${host}`,
    describe: ({ host, port, sockType }) => `${host}:${port} over ${sockType}`,
  }),
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
