// Route "maintenance": /* to upstream "orders".
// Compiled by gwc 0.2.0 from routes/maintenance, plan ec99c9df. Change the config, not this file.

import { defineRoute, headerEdits } from "gwc/runtime";

const body = "We are painting the shop. Please come back at nine; your basket waits for you.\n";

const responseHeadersToSet = headerEdits(
  ["set", "Content-Type", "text/plain"],
  ["set", "Retry-After", "3600"],
);

export default defineRoute({
  id: "maintenance",
  withheld: { response: ["content-type", "retry-after"] },

  access(x) {
    // routes/maintenance plugins.response-rewrite
    x.upstream.requestFullBody();
  },

  headerFilter(x) {
    // routes/maintenance plugins.response-rewrite
    x.response.status = 503;
    x.response.replaceBody(body);
    x.response.headers.edit(responseHeadersToSet);
  },
});
//# sourceMappingURL=maintenance.js.map
