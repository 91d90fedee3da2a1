// Route "greeting": /greeting to upstream "orders".
// Compiled by gwc 0.1.0 from shop.yaml:20:5, plan 7c91bdde. Change the config, not this file.

import { defineRoute, utf8 } from "gwc/runtime";

const body = utf8("Grüezi");

export default defineRoute({
  id: "greeting",

  headerFilter(x) {
    // shop.yaml:24:7 response-rewrite
    x.response.replaceBody(body);
  },
});
