import type { Destination, Sink } from "../../abi/delivery.js";
import type { ResourceContext } from "../../abi/resource.js";
import type { StreamDestination, StreamTerms } from "../logger-settings.js";
import { openClientKey, unopenedSink } from "../sink-secrets.js";
import { ConfirmedDelivery } from "./confirmed-delivery.js";
import { StreamPool } from "./stream-pool.js";
import { StreamSink } from "./stream-sink.js";
import { UdpSink } from "./udp-sink.js";

/** Opens the sink of messages over tcp, TLS or udp. It connects for the first batch. */
export function openStreamSink(destination: Destination, terms: StreamTerms, context: ResourceContext): Sink {
  const given = destination.settings as unknown as StreamDestination;
  const pair = openClientKey(given, context, "the private key");
  if (typeof pair === "string") return unopenedSink(pair, context);
  const settings: StreamDestination = { ...given, ...(pair.key !== undefined && { key: pair.key }) };
  const { host, port, sockType, confirm } = settings;
  const at = `${host}:${port}`;
  if (sockType === "udp") return new UdpSink(settings, terms, context);
  if (confirm !== true) {
    const pool = new StreamPool(settings, idleFailures(at, terms, context));
    return new StreamSink(settings, pool, terms);
  }
  const silent = () => context.report(`${terms.server} does not confirm`, { destination: at });
  return new StreamSink(settings, new ConfirmedDelivery(settings, silent), terms);
}

/** Counts and logs failures of idle connections: an unknown number of earlier messages may be lost. */
function idleFailures(
  destination: string,
  { name, failed }: StreamTerms,
  context: ResourceContext,
): (error: Error) => void {
  const counter = failed && context.metrics.counter(failed.metric, failed.help, { destination });
  return ({ message }) => {
    counter?.add(1);
    context.report(`${name} connection failed`, { destination, message });
  };
}
