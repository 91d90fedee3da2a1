// Route "shop-orders": GET, POST /orders/* to upstream "orders".
// Compiled by gwc 0.2.0 from routes/shop-orders, plan 379e5a68. Change the config, not this file.

import { defineRoute, filter, headerEdits } from "gwc/runtime";

const requestHeaders = headerEdits(
  ["prepend", "X-Forwarded-Via", "gw"],
  ["delete", "x-debug-token"],
  ["set", "X-Api-Version", "2"],
);

// routes/shop-orders plugins.response-rewrite.filters[0], global; holds the body: filters[1] holds the body
const filter0 = /\b\d{4}(?:[ \-]?\d{4}){3}\b/g;
// routes/shop-orders plugins.response-rewrite.filters[1], once; holds the body: \d+ matches text of any length
const filter1 = /orders-\d+\.internal/;

const rewriteBody = filter([
  { pattern: filter0, replacement: "[card]" },
  { pattern: filter1, replacement: "orders.example.com" },
]);

const responseHeaders = headerEdits(
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
    headers.edit(requestHeaders);
    headers.set("X-Client-Ip", x.remoteAddr);
  },

  headerFilter(x) {
    // routes/shop-orders plugins.response-rewrite.vars
    if (x.response.status !== 200) return;

    x.response.filterBody(rewriteBody);
    x.response.headers.edit(responseHeaders);
  },
});
//# sourceMappingURL=shop-orders.js.map
