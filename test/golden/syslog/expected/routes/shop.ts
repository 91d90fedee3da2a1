// Route "shop": /* to upstream "shop".
// Compiled by gwc 0.1.0 from shop.yaml:6:5, plan c294f13b. Change the config, not this file.

import { syslog } from "gwc/plugins/syslog";
import { defineRoute } from "gwc/runtime";

// shop.yaml:10:7 syslog
const syslogToLogsInternal = syslog({
  destination: { host: "logs.internal", port: 6514, tls: true },
  delivery: "durable",
  ack: "response",
  requestBody: { maxBytes: 524288 },
  responseBody: { maxBytes: 524288 },
});

export default defineRoute({
  id: "shop",
  resources: [syslogToLogsInternal.resource],

  access(x) {
    // shop.yaml:10:7 syslog
    syslogToLogsInternal.admit(x);

    // shop.yaml:17:9 syslog.include_req_body_expr
    if (x.method === "POST") {
      syslogToLogsInternal.access(x);
    }
  },

  headerFilter(x) {
    // shop.yaml:10:7 syslog
    syslogToLogsInternal.headerFilter(x);
  },

  acknowledge(x) {
    // shop.yaml:10:7 syslog
    syslogToLogsInternal.acknowledge(x);
  },

  log(x) {
    // shop.yaml:10:7 syslog
    syslogToLogsInternal.log(x);
  },
});
