/** Interface for the runtime code of loggers: settings, batches, spool, streams and what sinks share. */

export type { Sparse } from "../abi/defaults.js";
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
export { type MakeEntry, makeLogger } from "./logger.js";
export type {
  BrokerAddress,
  BrokerDestination,
  LoggerSettings,
  SpoolSettings,
  StreamDestination,
  StreamTerms,
} from "./logger-settings.js";
export { openClientKey, unopenedSink } from "./sink-secrets.js";
export { loggerSettings, type SparseLoggerSettings } from "./sparse-settings.js";
export { openStreamSink } from "./stream/open-stream-sink.js";
export { zstdCompress } from "./zstd.js";
