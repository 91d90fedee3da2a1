// Metadata of syslog.
// Compiled by gwc 0.2.0 from plugin_metadata/syslog, plan e228b2a3. Change the config, not this file.

import { definePluginMetadata, recordText } from "gwc/runtime";

export default definePluginMetadata({
  id: "syslog",

  record: (x, shown) =>
    recordText({
      at: x.variable("time_iso8601"),
      uri: shown.target(x.requestUri),
      route_id: x.routeId,
      service_id: x.serviceId,
    }),
  settings: { max_pending_entries: 20000 },
});
//# sourceMappingURL=syslog.js.map
