import { brokerDestination } from "./log-broker.js";
import { httpDestination } from "./log-http.js";
import { syslogDestination } from "./log-syslog.js";

/** A real destination of a log-shipping plugin. */
export interface LogDestination {
  readonly name: string;
  /** What the logger may add to a request (issue "Speed"); nothing is promised for durable delivery. */
  readonly budget?: { readonly microseconds: number; readonly percent?: number };
  start(): Promise<RunningDestination>;
}

export interface RunningDestination {
  /** Plugins of the route that logs to it. */
  readonly plugins: Record<string, unknown>;
  /** Records that it has stored so far. */
  stored(): number | Promise<number>;
  stop(): Promise<void>;
}

/** One line for each destination. */
export const LOG_DESTINATIONS: readonly LogDestination[] = [
  syslogDestination("syslog (tcp)", {}, { microseconds: 12, percent: 60 }),
  brokerDestination("broker-logger", {}),
  httpDestination("http-logger (gzip)", { compression: "gzip" }, { microseconds: 14 }),
  syslogDestination("syslog (tcp), durable", { delivery: "durable" }),
  syslogDestination("syslog (tcp), durable, ack: response", { delivery: "durable", ack: "response" }),
];
