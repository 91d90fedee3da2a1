// Route "shop": /* to upstream "shop".
// Compiled by gwc 0.1.0 from shop.yaml:6:5, plan 5ed9d5a2. Change the config, not this file.

import { brokerLogger } from "gwc/plugins/broker-logger";
import { defineRoute } from "gwc/runtime";

// shop.yaml:10:7 broker-logger
const logger = brokerLogger({
  key: "403b1b33ff6982d1e893a9d593ff1c0e21d4c6d5ed2de36e0a2ec1bf79a64ccc",
  destinationId: "361bf081f3d9795a216602437e457555f1b4d8c192a9fd8a580d79bca6968fd0",
  destination: {
    brokers: [{ host: "kafka-1", port: 9092 }],
    topic: "requests",
    producerType: "async",
    requiredAcks: -1,
    timeoutMs: 3000,
    clusterName: 1,
    batchNum: 200,
    batchSize: 1048576,
    maxBuffering: 50000,
    lingerMs: 1000,
    metadataRefreshMs: 30000,
    compression: "none",
    sasl: { mechanism: "SCRAM-SHA-512", user: "gateway", password: "${{KAFKA_PASSWORD}}" },
  },
  batch: {
    name: "broker logger",
    batchMaxSize: 1000,
    inactiveTimeout: 5,
    bufferDuration: 60,
    maxRetryCount: 0,
    retryDelay: 1,
    maxPendingEntries: 8192,
    maxPendingBytes: 67108864,
  },
  delivery: "memory",
  ack: "log",
  redact: {
    headers: [
      "authorization",
      "proxy-authorization",
      "cookie",
      "set-cookie",
      "x-api-key",
      "apikey",
      "x-captcha-token",
    ],
    query: ["apikey", "api_key", "access_token", "token", "jwt", "captcha-token", "/verify?ip"],
  },
  recordId: false,
  extra: (x, shown) => ({ user: shown.field("x-user", x.request.headers.get("x-user")) }),
  keyOf: (x) => x.remoteAddr,
});

export default defineRoute({
  id: "shop",
  resources: [logger.resource],

  log(x) {
    // shop.yaml:10:7 broker-logger
    logger.log(x);
  },
});
