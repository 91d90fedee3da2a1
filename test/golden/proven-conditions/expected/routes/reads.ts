// Route "reads": GET, HEAD /orders, /invoices on shop.test to upstream "orders".
// Compiled by gwc 0.2.0 from routes/reads, plan f966ac9d. Change the config, not this file.

import { defineRoute } from "gwc/runtime";

export default defineRoute({
  id: "reads",
  withheld: { request: ["x-writes"], response: ["cache-control"] },

  headerFilter(x) {
    // routes/reads plugins.response-rewrite._meta.filter[1]
    if (x.request.headers.get("x-debug") !== "1") return;

    x.response.headers.set("Cache-Control", "no-store");
  },
});
//# sourceMappingURL=reads.js.map
