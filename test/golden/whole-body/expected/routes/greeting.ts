// Route "greeting": /greeting to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:20:5, plan 2191a429. Change the config, not this file.

import { defineRoute, utf8 } from "gwc/runtime";

const body = utf8("Grüezi");

export default defineRoute({
  id: "greeting",

  access(x) {
    // shop.yaml:24:7 response-rewrite
    x.upstream.askForWhole();
  },

  headerFilter(x) {
    // shop.yaml:24:7 response-rewrite
    x.response.replaceBody(body);
  },
});
