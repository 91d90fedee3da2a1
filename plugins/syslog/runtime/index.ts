import { hostname } from "node:os";
import type { PluginRuntime } from "../../../runtime/abi/plugin-api.js";
import {
  type Logger,
  loggerSettings,
  makeLogger,
  type OpenSink,
  openStreamSink,
  type SparseLoggerSettings,
  type StreamDestination,
  type StreamTerms,
} from "../../../runtime/logging/index.js";
import { DEFAULTS } from "./defaults.gen.js";
import { messageMaker } from "./message.js";

const TERMS: StreamTerms = {
  server: "syslog server",
  name: "syslog",
  failed: {
    metric: "gw_syslog_connections_failed_total",
    help: "Connections to syslog servers that failed after a batch was written; its end may be lost.",
  },
  // RFC 5424 section 6.1: a message that is too long for the transport is cut at its end.
  truncated: {
    metric: "gw_syslog_truncated_total",
    help: "Syslog messages truncated to the size of a datagram.",
  },
};

/** Connects at the first batch. */
export const openSyslogSink: OpenSink = (destination, context) => openStreamSink(destination, TERMS, context);

/** RFC 5424 section 6.2.4: the machine that sends the message, which no client can choose. */
const OWN_HOSTNAME = hostname();

/** Includes the reference of the client key: spools of earlier versions have it in their id. */
const withKey = (destination: StreamDestination) => destination;

/** Called by the generated module of a route with this plugin. */
export function syslog(given: SparseLoggerSettings<StreamDestination, typeof DEFAULTS>): Logger {
  const settings = loggerSettings("syslog", given, DEFAULTS, withKey);
  const message = messageMaker(process.pid);
  const { hostnameOf = () => OWN_HOSTNAME } = settings;
  const destination = { ...settings.destination, confirm: settings.delivery === "durable" };
  return makeLogger("syslog", { ...settings, destination }, (x, record) => ({
    payload: message(hostnameOf(x) ?? "", record),
  }));
}

export const runtime: PluginRuntime = { exports: { syslog }, openSink: openSyslogSink };
