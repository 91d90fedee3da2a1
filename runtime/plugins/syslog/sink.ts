import type { ResourceContext } from "../../abi/resource.js";
import type { Destination, Sink } from "../../log/contract.js";
import type { SyslogDestination } from "../../log/logger-settings.js";
import { ConfirmedDelivery } from "./confirmed-delivery.js";
import { KeptConnections } from "./kept-connections.js";
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
  if (sockType === "udp") return new UdpSink(settings, context);
  if (confirm !== true) return new StreamSink(settings, new KeptConnections(settings));
  let told = false;
  const silent = () => {
    if (told) return;
    told = true;
    context.report("syslog server does not confirm", { destination: `${host}:${port}` });
  };
  return new StreamSink(settings, new ConfirmedDelivery(settings, silent));
}
