// Route "guarded": /* to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:5:5, plan aa3305c1. Change the config, not this file.

import { defineRoute, matches, oneOf } from "gwc/runtime";

// shop.yaml:13:34
const values0 = oneOf(204, 206, 301, 302);
// shop.yaml:14:16
const pattern0 = /^text\/html/;

export default defineRoute({
  id: "guarded",

  rewrite(x) {
    // shop.yaml:10:27 proxy-rewrite._meta.filter
    if (x.request.headers.get("x-debug") !== undefined) return;

    x.upstream.headers.set("X-Matched", "yes");
  },

  headerFilter(x) {
    // shop.yaml:13:34 response-rewrite._meta.filter
    if (values0.has(x.response.status) || x.response.status >= 500) return;
    // shop.yaml:14:9 response-rewrite.vars
    if (!matches(pattern0, x.response.headers.get("content-type"))) return;

    x.response.headers.set("X-Frame-Options", "DENY");
  },
});
