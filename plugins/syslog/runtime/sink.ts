import type { Destination, Sink } from "../../../runtime/abi/delivery.js";
import type { ResourceContext } from "../../../runtime/abi/resource.js";
import type { SyslogDestination } from "../../../runtime/logging/logger-settings.js";
import { ConfirmedDelivery } from "./confirmed-delivery.js";
import { ConnectionPool } from "./connection-pool.js";
import { StreamSink } from "./stream-sink.js";
import { UdpSink } from "./udp-sink.js";

/** `Destination.settings` of a syslog destination. */
export interface SyslogSinkSettings extends SyslogDestination {
  /** `delivery: durable`: a batch counts as delivered only when the server has read it (ConfirmedDelivery). */
  readonly confirm?: boolean;
}

/** Opens the sink of a syslog destination. Connects when the first batch comes. */
export function openSyslogSink(destination: Destination, context: ResourceContext): Sink {
  const settings = destination.settings as unknown as SyslogSinkSettings;
  const { host, port, sockType, confirm } = settings;
  const at = `${host}:${port}`;
  if (sockType === "udp") return new UdpSink(settings, context);
  if (confirm !== true)
    return new StreamSink(settings, new ConnectionPool(settings, idleFailures(at, context)));
  let told = false;
  const silent = () => {
    if (told) return;
    told = true;
    context.report("syslog server does not confirm", { destination: at });
  };
  return new StreamSink(settings, new ConfirmedDelivery(settings, silent));
}

/** What was written before such a failure may be lost, and nobody can say how much: it is counted and said. */
function idleFailures(destination: string, context: ResourceContext): (error: Error) => void {
  const help = "Connections to syslog servers that failed after a batch was written; its end may be lost.";
  const failed = context.metrics.counter("gw_syslog_connections_failed_total", help, { destination });
  return ({ message }) => {
    failed.add(1);
    context.report("syslog connection failed", { destination, message });
  };
}
