// Route "greeting": /greeting to upstream "orders".
// Compiled by gwc 0.2.0 from routes/greeting, plan 4ca4d0e4. Change the config, not this file.

import { defineRoute, utf8 } from "gwc/runtime";

const body = utf8("Grüezi");

export default defineRoute({
  id: "greeting",

  access(x) {
    // routes/greeting plugins.response-rewrite
    x.upstream.requestFullBody();
  },

  headerFilter(x) {
    // routes/greeting plugins.response-rewrite
    x.response.replaceBody(body);
  },
});
//# sourceMappingURL=greeting.js.map
