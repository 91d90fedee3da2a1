// Route "guarded": /* to upstream "orders".
// Compiled by gwc 0.2.0 from routes/guarded, plan 03a21093. Change the config, not this file.

import { defineRoute, matches, oneOf } from "gwc/runtime";

// routes/guarded plugins.response-rewrite._meta.filter[1]
const statusValues = oneOf(204, 206, 301, 302);
// routes/guarded plugins.response-rewrite.vars[0]
const sentHttpContentTypePattern = /^text\/html/;

export default defineRoute({
  id: "guarded",
  withheld: { request: ["x-matched"], response: ["x-frame-options"] },

  rewrite(x) {
    // routes/guarded plugins.proxy-rewrite._meta.filter[0]
    if (x.request.headers.get("x-debug") !== undefined) return;

    x.upstream.headers.set("X-Matched", "yes");
  },

  headerFilter(x) {
    // routes/guarded plugins.response-rewrite._meta.filter[1]
    if (statusValues.has(x.response.status) || x.response.status >= 500) return;
    // routes/guarded plugins.response-rewrite.vars
    if (!matches(sentHttpContentTypePattern, x.response.headers.get("content-type"))) return;

    x.response.headers.set("X-Frame-Options", "DENY");
  },
});
//# sourceMappingURL=guarded.js.map
