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
export { openClientKey } from "./client-pair.js";
export { connectTurn } from "./connect-gate.js";
export { makeLogger } from "./logger.js";
export type {
  BrokerAddress,
  BrokerDestination,
  LoggerSettings,
  StreamDestination,
} from "./logger-settings.js";
export { loggerSettings, type SparseLoggerSettings } from "./sparse-settings.js";
export { openStreamSink } from "./stream/open-stream-sink.js";
export type { StreamTerms } from "./stream/stream-terms.js";
export { unopenedSink } from "./unopened-sink.js";
export { zstdCompress } from "./zstd.js";
