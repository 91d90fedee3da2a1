// Global rule "all": syslog.
// Compiled by gwc 0.2.0 from global_rules/all, plan a3782008. Change the config, not this file.

import { syslog } from "gwc/plugins/syslog";
import { defineGlobalRule, recordText, utf8 } from "gwc/runtime";

const recordKey = utf8("größe");

// global_rules/all plugins.syslog
const syslogTo127_0_0_1 = syslog({
  destination: { host: "127.0.0.1", port: 514 },
  responseBody: { maxBytes: 524288 },
  record: (x, shown) =>
    recordText({
      host: x.host,
      client: `${x.remoteAddr}:${x.remotePort}`,
      [recordKey]: x.variable("bytes_sent"),
      request: { method: x.method, page: shown.parameter("page", x.arg("page")) ?? "1", version: 2 },
      answer: shown.response,
      ["__proto__"]: "own",
      service_id: x.serviceId,
      route_id: x.routeId,
    }),
});

export default defineGlobalRule({
  id: "all",
  resources: [syslogTo127_0_0_1.resource],

  headerFilter(x) {
    // global_rules/all plugins.syslog
    syslogTo127_0_0_1.headerFilter(x);
  },

  log(x) {
    // global_rules/all plugins.syslog
    syslogTo127_0_0_1.log(x);
  },
});
//# sourceMappingURL=all.js.map
