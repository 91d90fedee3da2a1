// Route "shop": /* to upstream "shop".
// Compiled by gwc 0.2.0 from routes/shop, plan 011dfc21. Change the config, not this file.

import { syslog } from "gwc/plugins/syslog";
import { defineRoute } from "gwc/runtime";

// routes/shop plugins.syslog
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
    // routes/shop plugins.syslog
    syslogToLogsInternal.rejectIfFull(x);

    // routes/shop plugins.syslog.include_req_body_expr
    if (x.method === "POST") {
      syslogToLogsInternal.access(x);
    }
  },

  captureRequest(x) {
    // routes/shop plugins.syslog.include_req_body_expr
    if (x.method !== "POST") return;

    syslogToLogsInternal.access(x);
  },

  headerFilter(x) {
    // routes/shop plugins.syslog
    syslogToLogsInternal.headerFilter(x);
  },

  acknowledge(x) {
    // routes/shop plugins.syslog
    syslogToLogsInternal.acknowledge(x);
  },

  log(x) {
    // routes/shop plugins.syslog
    syslogToLogsInternal.log(x);
  },
});
//# sourceMappingURL=shop.js.map
