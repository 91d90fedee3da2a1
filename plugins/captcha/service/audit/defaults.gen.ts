// Generated from the schemas by `npm run types`. Change the schemas, not this file.

export const SYSLOG_DEFAULTS = {
  sockType: "tcp",
  tls: false,
  framing: "newline",
  timeoutMs: 3000,
  flushLimit: 4194304,
  dropLimit: 1073741824,
  poolSize: 5,
} as const;

export const BROKER_DEFAULTS = {
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
} as const;

export const OPTIONAL_DEFAULTS = { sasl: { mechanism: "PLAIN" }, tls: { verify: true } } as const;
