// Route "reads": GET, HEAD /orders, /invoices on shop.test to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:5:5, plan c3ee6d8c. Change the config, not this file.

import { defineRoute } from "gwc/runtime";

export default defineRoute({
  id: "reads",

  headerFilter(x) {
    // shop.yaml:16:31 response-rewrite._meta.filter
    if (x.request.headers.get("x-debug") !== "1") return;

    x.response.headers.set("Cache-Control", "no-store");
  },
});
