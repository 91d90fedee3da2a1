// Route "shop-orders": GET, POST /orders/* to upstream "orders".
// Compiled by gwc 0.2.0 from routes/shop-orders, plan 379e5a68. Change the config, not this file.

import { defineRoute, filter, headerEdits } from "gwc/runtime";

const requestHeaderEdits = headerEdits(
  ["prepend", "X-Forwarded-Via", "gw"],
  ["delete", "x-debug-token"],
  ["set", "X-Api-Version", "2"],
);

// routes/shop-orders plugins.response-rewrite.filters[0], global; holds the body: filters[1] holds the body
const bodyPattern = /\b\d{4}(?:[ \-]?\d{4}){3}\b/g;
// routes/shop-orders plugins.response-rewrite.filters[1], once; holds the body: \d+ matches text of any length
const bodyPattern2 = /orders-\d+\.internal/;

const rewriteBody = filter([
  { pattern: bodyPattern, replacement: "[card]" },
  { pattern: bodyPattern2, replacement: "orders.example.com" },
]);

const responseHeaderEdits = headerEdits(
  ["append", "Vary", "X-Api-Version"],
  ["delete", "x-internal-service"],
  ["set", "Cache-Control", "no-store"],
);

export default defineRoute({
  id: "shop-orders",
  withheld: {
    request: ["x-api-version", "x-client-ip", "x-debug-token"],
    response: ["cache-control", "x-internal-service"],
  },

  rewrite(x) {
    // routes/shop-orders plugins.proxy-rewrite
    x.upstream.host = "orders.internal";
    const { headers } = x.upstream;
    headers.edit(requestHeaderEdits);
    headers.set("X-Client-Ip", x.remoteAddr);
  },

  headerFilter(x) {
    // routes/shop-orders plugins.response-rewrite.vars
    if (x.response.status !== 200) return;

    x.response.filterBody(rewriteBody);
    x.response.headers.edit(responseHeaderEdits);
  },
});
//# sourceMappingURL=shop-orders.js.map
