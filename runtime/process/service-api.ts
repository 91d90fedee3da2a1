/**
 * Interface for the service of a plugin: an HTTP server, a store, metrics and a log. A service runs in a
 * process of its own or, with `workers: 0`, in control's; the former also imports `service-process.ts`.
 */

export { writeFaultOf } from "../abi/error-message.js";
/** Room for writes in the file of a database, and the lock file that readers of other users need. */
export {
  farPage,
  type LmdbPages,
  LmdbRoom,
  makeLockFile,
  reserveOf,
  restrictToOwner,
  WriteFault,
} from "../abi/lmdb-guards.js";
export { MetricsRegistry } from "../abi/metrics-registry.js";
/** Opens a destination by its kind, if the runtime of that plugin is registered. */
export { openSink } from "../abi/plugin-runtime.js";
export { clientAddress, type RealIpHeader } from "../http/client-address.js";
/** HTTP/1.1 connection of a client, which passes requests to its `ConnectionEvents`. */
export { ClientConnection } from "../http/client-connection.js";
export { takesCoding } from "../http/codings.js";
export { Deadlines } from "../http/deadlines.js";
export type { WireFault } from "../http/fault.js";
export type { ConnectionEvents, InboundRequest, RequestConnection } from "../http/inbound-request.js";
export { DEFAULT_LIMITS, type Limits } from "../http/limits.js";
export { type Listener, Listeners } from "../http/listeners.js";
/** Queue of records in front of a sink, as in loggers. */
export { BatchProcessor } from "../logging/batch/batch-processor.js";
export { systemClock } from "../logging/batch/clock.js";
export type { RouteSeries } from "../logging/batch/log-metrics.js";
export { ConnectionShares } from "./connection-shares.js";
/** Metrics of the process that every process of a gateway has. */
export { ProcessMetrics } from "./process-metrics.js";
