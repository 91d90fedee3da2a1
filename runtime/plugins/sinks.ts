import type { ResourceContext } from "../abi/resource.js";
import type { Destination, Sink } from "../log/contract.js";
import { openBrokerSink } from "./broker-logger/sink.js";
import { openSyslogSink } from "./syslog/sink.js";

/** Opens the sink of a destination. Does not wait: the destination may be down. */
export type OpenSink = (destination: Destination, context: ResourceContext) => Sink;

/** Who opens which kind of destination: one line for each plugin that has some. */
export const SINKS: Readonly<Record<string, OpenSink>> = {
  "broker-logger": openBrokerSink,
  syslog: openSyslogSink,
};

/** @throws Error for a kind that this version does not have */
export const openSink: OpenSink = (destination, context) => {
  const open = Object.hasOwn(SINKS, destination.kind) ? SINKS[destination.kind] : undefined;
  if (open === undefined)
    throw new Error(`nothing here delivers to a destination of kind ${destination.kind}`);
  return open(destination, context);
};
