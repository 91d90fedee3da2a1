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
