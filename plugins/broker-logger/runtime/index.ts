import type { Exchange, PluginRuntime } from "../../../runtime/abi/plugin-api.js";
import {
  type BatchSettings,
  type BrokerDestination,
  type LogEntry,
  type Logger,
  type LoggerSettings,
  loggerSettings,
  makeLogger,
  type SparseLoggerSettings,
} from "../../../runtime/logging/index.js";
import { DEFAULTS } from "./defaults.gen.js";
import { openBrokerSink } from "./sink.js";

/** Called by the generated module of a route with this plugin. */
export function brokerLogger(given: SparseLoggerSettings<BrokerDestination, typeof DEFAULTS>): Logger {
  const settings = brokerSettings(given);
  const { keyOf } = settings;
  const entry = (x: Exchange, payload: string): LogEntry => {
    const key = keyOf?.(x);
    return key === undefined ? { payload } : { payload, key };
  };
  const batch = producerBatch(settings.batch, settings.destination);
  return makeLogger("broker-logger", { ...settings, batch }, entry);
}

/**
 * Credentials and client are not part of the destination id, so its spool stays when they change. The
 * versions of the secrets and the client's name are part of the sink's key, so a change opens another sink.
 */
export function brokerSettings(
  given: SparseLoggerSettings<BrokerDestination, typeof DEFAULTS>,
): LoggerSettings<BrokerDestination> {
  const { sasl, tls, client = DEFAULTS.destination.client } = given.destination;
  const references = [sasl?.password, tls?.key].filter((one) => one !== undefined);
  const versions = [...(given.versions ?? references), `client ${client}`, tls?.cert ?? ""];
  return loggerSettings("broker-logger", { ...given, versions }, DEFAULTS, identityOf);
}

function identityOf({ sasl, tls, client: _, ...rest }: BrokerDestination): object {
  return {
    ...rest,
    ...(tls && { tls: { verify: tls.verify, ...(tls.ca !== undefined && { ca: tls.ca }) } }),
    ...(sasl && { sasl: { mechanism: sasl.mechanism, user: sasl.user } }),
  };
}

/**
 * Batch settings of an asynchronous producer. The peers have two buffers in a row, and nobody counts the
 * losses of the second one. Here both are one buffer with the capacity of the smaller one. If
 * `batch_max_size` is less than `producer_batch_num`, a batch leaves when the second buffer would send it. A
 * request of one record costs 40 times the CPU per record of a request of 200. With `producer_type: sync`
 * each batch is sent as it is.
 */
export function producerBatch(batch: BatchSettings, producer: BrokerDestination): BatchSettings {
  if (producer.producerType === "sync") return batch;
  const maxPendingEntries = Math.min(batch.maxPendingEntries, producer.maxBuffering);
  if (batch.batchMaxSize >= producer.batchNum) return { ...batch, maxPendingEntries };
  const first = batch.batchMaxSize === 1 ? 0 : Math.min(batch.inactiveTimeout, batch.bufferDuration);
  const seconds = first + producer.lingerMs / 1000;
  return {
    ...batch,
    maxPendingEntries,
    batchMaxSize: producer.batchNum,
    inactiveTimeout: seconds,
    bufferDuration: seconds,
  };
}

export const runtime: PluginRuntime = { exports: { brokerLogger }, openSink: openBrokerSink };
