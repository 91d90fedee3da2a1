import { type OpenSink, openStreamSink, type StreamTerms } from "../../../runtime/logging/index.js";

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
