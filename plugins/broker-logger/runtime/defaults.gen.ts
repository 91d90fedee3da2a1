// Generated from the schemas by `npm run types`. Change the schemas, not this file.

export const DEFAULTS = {
  destination: {
    client: "kafkajs",
    producerType: "async",
    requiredAcks: 1,
    timeoutMs: 3000,
    clusterName: 1,
    batchNum: 200,
    batchSize: 1048576,
    maxBuffering: 50000,
    lingerMs: 1000,
    metadataRefreshMs: 30000,
    compression: "none",
  },
  batch: { name: "broker logger" },
} as const;
