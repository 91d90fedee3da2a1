import { describe, expect, it } from "vitest";
import { producerBatch } from "../../../plugins/broker-logger/runtime/index.js";
import type { BatchSettings } from "../../../runtime/abi/delivery.js";
import type { BrokerDestination } from "../../../runtime/logging/logger-settings.js";

const BATCH: BatchSettings = {
  name: "broker logger",
  batchMaxSize: 1000,
  inactiveTimeout: 5,
  bufferDuration: 60,
  maxRetryCount: 0,
  retryDelay: 1,
  maxPendingEntries: 80_000,
  maxPendingBytes: 67_108_864,
};
const PRODUCER: BrokerDestination = {
  brokers: [{ host: "127.0.0.1", port: 9092 }],
  topic: "logs",
  client: "platformatic",
  producerType: "async",
  requiredAcks: 1,
  timeoutMs: 3000,
  clusterName: 1,
  batchNum: 200,
  batchSize: 1_048_576,
  maxBuffering: 50_000,
  lingerMs: 1000,
  metadataRefreshMs: 30_000,
  compression: "none",
};

describe("common buffer of batch processor and producer", () => {
  it("[log.broker.producer_max_buffering] the limit of the producer limits the entries of the batch", () => {
    expect(producerBatch(BATCH, PRODUCER)).toEqual({ ...BATCH, maxPendingEntries: 50_000 });
  });

  it("[log.broker.producer_time_linger] single records wait for a request of producer_batch_num", () => {
    expect(producerBatch({ ...BATCH, batchMaxSize: 1 }, PRODUCER)).toMatchObject({
      batchMaxSize: 200,
      inactiveTimeout: 1,
      bufferDuration: 1,
    });
  });

  it("a batch smaller than a request adds the times of both buffers", () => {
    expect(producerBatch({ ...BATCH, batchMaxSize: 50, bufferDuration: 2 }, PRODUCER)).toMatchObject({
      batchMaxSize: 200,
      inactiveTimeout: 3,
      bufferDuration: 3,
    });
  });

  it("[log.broker.producer_type] the producer type sync leaves batches unchanged", () => {
    const batch = { ...BATCH, batchMaxSize: 1 };
    expect(producerBatch(batch, { ...PRODUCER, producerType: "sync" })).toBe(batch);
  });
});
