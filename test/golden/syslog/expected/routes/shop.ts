// Route "shop": /* to upstream "shop".
// Compiled by gwc 0.1.0 from shop.yaml:6:5, plan 45fe6279. Change the config, not this file.

import { syslog } from "gwc/plugins/syslog";
import { defineRoute } from "gwc/runtime";

// shop.yaml:10:7 syslog
const logger = syslog({
  key: "b6a7a0a2dcb01cdda6350618593990da0bbfb01e2206ccad07de5953e8b7629e",
  destinationId: "ec12ea4299b5694bba33b6bd7248fe1dfe77dc67588453e8da205cfdeb5355c1",
  destination: {
    host: "logs.internal",
    port: 6514,
    sockType: "tcp",
    tls: true,
    framing: "newline",
    timeoutMs: 3000,
    flushLimit: 4194304,
    dropLimit: 1073741824,
    poolSize: 5,
  },
  batch: {
    name: "sys logger",
    batchMaxSize: 1000,
    inactiveTimeout: 5,
    bufferDuration: 60,
    maxRetryCount: 0,
    retryDelay: 1,
    maxPendingEntries: 8192,
    maxPendingBytes: 67108864,
  },
  delivery: "durable",
  ack: "response",
  spool: { maxBytes: 1073741824, onFull: "refuse" },
  requestBody: { maxBytes: 524288 },
  responseBody: { maxBytes: 524288 },
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
  recordId: true,
});

export default defineRoute({
  id: "shop",
  resources: [logger.resource],

  access(x) {
    // shop.yaml:10:7 syslog
    logger.admit(x);

    // shop.yaml:17:9 syslog.include_req_body_expr
    if (x.method === "POST") {
      logger.access(x);
    }
  },

  headerFilter(x) {
    // shop.yaml:10:7 syslog
    logger.headerFilter(x);
  },

  acknowledge(x) {
    // shop.yaml:10:7 syslog
    logger.acknowledge(x);
  },

  log(x) {
    // shop.yaml:10:7 syslog
    logger.log(x);
  },
});
