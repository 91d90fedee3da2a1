// Global rule "all": syslog.
// Compiled by gwc 0.1.0 from shop.yaml:9:5, plan 98aefedd. Change the config, not this file.

import { syslog } from "gwc/plugins/syslog";
import { defineGlobalRule, recordText, utf8 } from "gwc/runtime";

const text0 = utf8("größe");

// shop.yaml:11:7 syslog
const logger = syslog({
  key: "e6a85771fba9550acbbc195d0217b0ce375d293cc50288028f9b350967126b1e",
  destinationId: "f3236e1072d518ca2488e3e513f7734804eaa0962151aa93490c8db7a83d0717",
  destination: {
    host: "127.0.0.1",
    port: 514,
    sockType: "tcp",
    tls: false,
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
  delivery: "memory",
  ack: "log",
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
  recordId: false,
  record: (x, shown) =>
    recordText({
      host: x.host,
      client: `${x.remoteAddr}:${x.remotePort}`,
      [text0]: x.variable("bytes_sent"),
      request: { method: x.method, page: shown.parameter("page", x.arg("page")) ?? "1", version: 2 },
      answer: shown.response,
      ["__proto__"]: "own",
      service_id: x.serviceId,
      route_id: x.routeId,
    }),
});

export default defineGlobalRule({
  id: "all",
  resources: [logger.resource],

  headerFilter(x) {
    // shop.yaml:11:7 syslog
    logger.headerFilter(x);
  },

  log(x) {
    // shop.yaml:11:7 syslog
    logger.log(x);
  },
});
