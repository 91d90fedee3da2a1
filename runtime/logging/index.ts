/** Interface for the runtime code of loggers: settings, batches, spool, streams and what sinks share. */

export {
  type BatchSettings,
  type Destination,
  type LogEntry,
  type Logger,
  type OpenSink,
  SendError,
  type Sink,
} from "../abi/delivery.js";
export { connectTurn } from "./connect-gate.js";
export { makeLogger } from "./logger.js";
export type {
  BrokerAddress,
  BrokerDestination,
  LoggerSettings,
  StreamDestination,
  StreamTerms,
} from "./logger-settings.js";
export { openClientKey, unopenedSink } from "./sink-secrets.js";
export { loggerSettings, type SparseLoggerSettings } from "./sparse-settings.js";
export { openStreamSink } from "./stream/open-stream-sink.js";
export { zstdCompress } from "./zstd.js";
